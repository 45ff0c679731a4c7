/** Sends changes to the studio one after another, with retries until the studio has saved them. */
import { changed, emit } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { openLogin } from "../core/login.js";
import { patch, Refusal, reason, refusedWith } from "../core/server.js";
import { toast } from "../core/toast.js";
import { affectedLines, withSeenCells } from "./changes.js";
import { addPending, allPending, dropPending } from "./pending.js";
import { projectPath, receive, reload, scriptState, showUnsaved } from "./state.js";

/** @import { Pending } from "./pending.js" */
/** @typedef {{project: string, sheet: string}} Place */

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/** @type {Promise<void> | null} */
let sending = null;
let failures = 0; // failed attempts in a row
let timer = 0;
let dismissTrouble = () => {};
/** Callbacks that let the user correct a refused change. @type {WeakMap<Pending, () => void>} */
const amends = new WeakMap();

/**
 * Show a change if its sheet is open, and send it.
 * @param {SheetChange} change
 * @param {Place} place
 * @param {() => void} [amend]  offered if the studio refuses the change
 */
export function submit(change, place, amend) {
  /** @type {Pending} */
  const one = {
    ...place,
    change: place.sheet === scriptState.sheet?.id ? withSeenCells(change, scriptState.lines) : change,
  };
  if (amend) amends.set(one, amend);
  addPending(one);
  if (place.sheet === scriptState.sheet?.id) showUnsaved(change, affectedLines(change));
  changed(STATE.unsaved);
  sendAll();
}

/** Send all waiting changes now. */
export function sendAll() {
  sending ??= sendEach().finally(() => {
    sending = null;
    changed(STATE.unsaved);
  });
  return sending;
}

async function sendEach() {
  clearTimeout(timer);
  while (allPending().length && (await sent(allPending()[0])));
}

/** Resolves when the studio has saved every change, so that the next request includes them. Throws Refusal. */
export async function saved() {
  await sendAll();
  if (allPending().length) throw new Refusal("your last changes are not saved yet; try again in a moment");
}

/** Return a message about waiting changes; empty while no attempt has failed. */
export function waitingWords() {
  const count = allPending().length;
  return failures && count ? `${plural(count, "change")} not saved yet. Trying again…` : "";
}

/**
 * Send a change. Resolves to true if the studio saved or refused it, so that the next one can be sent.
 * @param {Pending} one
 */
async function sent(one) {
  try {
    const told = await patch(projectPath(`/sheets/${one.sheet}`, one.project), one.change);
    if (failures) announce("Your changes are saved.");
    failures = 0;
    dismissTrouble();
    dropPending(one);
    if (one.sheet === scriptState.sheet?.id) receive({ ...told, id: one.sheet });
    emit(EVENT.sheetSaved, { place: { project: one.project, sheet: one.sheet }, change: one.change, told });
    return true;
  } catch (error) {
    if (error instanceof Refusal && !error.retryable && !refusedWith(error, 401, 403)) return refused(one, error);
    wait(error);
    return false;
  }
}

/** @param {Pending} one @param {Refusal} error */
async function refused(one, error) {
  failures = 0;
  dropPending(one);
  const amend = amends.get(one);
  toast(reason(error), { failed: true, ...(amend && { action: "Edit again", onaction: amend }) });
  if (one.sheet === scriptState.sheet?.id) await reload().catch(() => {});
  return true;
}

/** @param {unknown} error */
function wait(error) {
  failures += 1;
  timer = setTimeout(sendAll, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)));
  if (failures > 1) return;
  const login = refusedWith(error, 401) && { action: "Log in", onaction: openLogin, until: STATE.access };
  dismissTrouble = toast(
    `Your changes are not saved yet. ${reason(error)} The page keeps your changes and tries again.`,
    {
      ...{ failed: true, ...login },
    },
  );
}

addEventListener("online", sendAll);
if (allPending().length) sendAll();
