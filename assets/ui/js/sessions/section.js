/** The section "Listening sessions" of the Compare page, for the owner: the list of sessions, or one opened session. */
import { access } from "../core/access.js";
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { attempt } from "../core/login.js";
import { isBlind, page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { reason } from "../core/server.js";
import { openEditor, openNew } from "./editor.js";
import { sessionRow } from "./list.js";
import { OpenedSession } from "./opened.js";
import { redraw } from "./redraw.js";
import { look, sessionOf, sessions } from "./sessions.js";

const EVERY_MS = 2000;
const ABOUT =
  "Invite people to compare takes blind: each listener hears the takes without names and votes on their own device.";
const BLIND = "Hidden during a blind comparison, because results name engines. Vote or leave the comparison first.";

/** @type {HTMLElement | undefined} */
let place;
/** @type {OpenedSession | null} */
let opened = null;
let trouble = ""; // why the sessions could not be loaded
const fault = h("p.session-trouble", { role: "alert", hidden: true }); // shows it

/** @param {HTMLElement} element */
export function mount(element) {
  place = h("section.sessions", { "aria-labelledby": "sessions-title", "data-owners": true, "data-shortcuts": "off" });
  element.append(place);
  follow([STATE.access, STATE.blind, STATE.page, STATE.sessions], draw);
  poll({ needed: isShown, every: () => EVERY_MS, look: load });
}

function isShown() {
  return page() === "compare" && access.owner && !isBlind();
}

async function load() {
  const before = trouble;
  try {
    await look();
    trouble = "";
    await opened?.results.look();
  } catch (error) {
    trouble = reason(error);
  }
  if (trouble !== before) draw();
}

/** @param {string} id */
function open(id) {
  opened = new OpenedSession({ id, close, edit: (session) => openEditor(session, open), copy });
  draw();
  opened.heading.focus({ preventScroll: true });
  place?.scrollIntoView({ block: "nearest" });
  attempt(opened.results.look);
}

/** @param {ListeningSession} session */
function copy(session) {
  openNew(open, session.plan);
}

function close() {
  const id = opened?.id;
  opened = null;
  draw();
  /** @type {HTMLElement | null | undefined} */
  const row = place?.querySelector(`[data-name="open ${id}"]`);
  (row ?? place?.querySelector("button"))?.focus({ preventScroll: true });
}

function draw() {
  if (!place || page() !== "compare") return;
  const session = opened && sessionOf(opened.id);
  if (opened && !session && sessions()) opened = null; // it was deleted
  if (fault.textContent !== trouble) fault.textContent = trouble;
  fault.hidden = !trouble;
  const title = h("h2", { id: "sessions-title" }, "Listening sessions");
  if (isBlind()) return place.replaceChildren(title, h("p.hint", {}, BLIND));
  if (!opened || !session) return redraw(place, [title, fault, ...list()]);
  opened.draw(session);
  if (opened.element.parentElement !== place) place.replaceChildren(title, fault, opened.element);
  return undefined;
}

function list() {
  const every = sessions();
  const make = h("button.primary", { type: "button", onclick: () => openNew(open) }, "New session");
  if (!every) return trouble ? [] : [h("p.hint", {}, "Loading sessions…")];
  if (!every.length) return [h("div.empty", {}, h("p", {}, ABOUT), make)];
  return [make, h("ul.session-list", {}, ...every.map((one) => sessionRow(one, open)))];
}
