/** The Champions page: the saved voices, and the jobs on them. */
import { access } from "../core/access.js";
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { sentence } from "../core/format.js";
import { logOut, openLogin } from "../core/login.js";
import { clamp } from "../core/math.js";
import { page } from "../core/pages.js";
import { post, reason } from "../core/server.js";
import { state } from "../core/state.js";
import { begin, jobs } from "../jobs/jobs.js";
import { JobList } from "../jobs/list.js";
import { openPull } from "../stores/pull.js";
import { openPush } from "../stores/push.js";
import { ChampionCard } from "./card.js";
import { optionsOf } from "./completion.js";
import { openEditor } from "./editor.js";
import { openDuplicate } from "./id-dialog.js";
import { chooseArchive } from "./import.js";
import { discard, loadChampions, pathOf } from "./library.js";
import { fits, SORTS } from "./search.js";
import { speakWith } from "./speaker.js";
import { openVersions } from "./versions.js";
import { openWeights } from "./weights.js";

/** @type {Map<string, ChampionCard>} */
const cards = new Map();
/** @type {ReturnType<typeof createParts>} */
let parts;
let trouble = ""; // why loading the champions failed
let titles = ""; // the engine titles that are shown

/** @type {import("./card.js").Acts} */
const ACTS = {
  speak: async ({ id }) => {
    await speakWith(id);
    location.hash = "#speak";
  },
  edit: openEditor,
  package: ({ id, version }) => begin(() => post(pathOf(id, `/package?version=${version}`))),
  more: {
    "Upload to store…": openPush,
    "Show versions": openVersions,
    Duplicate: openDuplicate,
    "Attach weights": openWeights,
    Delete: discard,
  },
};

/** @param {HTMLElement} element */
export function mount(element) {
  parts = createParts();
  const { count, search, sort, visit, work, none, grid, session } = parts;
  element.append(
    h(
      "div.champions",
      {},
      h("div.champions-head", {}, h("h2.page-title", {}, "Champions ", count), tools(search, sort)),
      visit,
      work.element,
      none,
      grid,
      session,
      h("p.drop-note", { "aria-hidden": "true" }, icon("download"), "Drop an archive here to import it"),
    ),
  );
  follow([STATE.champions, STATE.access], draw);
  follow(STATE.jobs, drawJobs);
  follow([STATE.player, STATE.synthesis, STATE.takes], () => {
    for (const card of cards.values()) card.drawLine();
  });
  follow(STATE.telemetry, () => titles !== engineTitles() && draw());
  follow(STATE.page, () => page() === "champions" && enter());
  follow(STATE.telemetry, () => trouble && !state.lost && page() === "champions" && enter());
}

function createParts() {
  const options = Object.entries(SORTS).map(([value, { words }]) => h("option", { value }, words));
  return {
    count: h("span.count"),
    search: h("input.search", {
      type: "search",
      placeholder: "Search",
      "aria-label": "Search champions",
      oninput: draw,
    }),
    sort: h("select.sort", { "aria-label": "Sort", onchange: draw }, ...options),
    visit: h("p.notice.visit", { hidden: true }),
    work: new JobList("Running tasks", optionsOf),
    none: h("div.empty", { hidden: true }),
    grid: h("ul.champion-grid", { "aria-label": "Champions" }),
    session: h(
      "p.hint.session",
      { hidden: true },
      "Logged in as the owner.",
      h("button.link", { type: "button", onclick: logOut }, "Log out"),
    ),
  };
}

/** Return search, sort, and the buttons that import champions. @param {HTMLElement} search @param {HTMLElement} sort */
function tools(search, sort) {
  const owners = (
    /** @type {"store" | "upload"} */ sign,
    /** @type {string} */ words,
    /** @type {() => unknown} */ onclick,
  ) => h("button.quiet", { type: "button", "data-owners": true, onclick }, icon(sign), words);
  return h(
    "div.champions-tools",
    {},
    h("span.search-holder", {}, icon("search"), search),
    h("span.select", {}, sort, icon("down")),
    owners("store", "Download from store…", openPull),
    owners("upload", "Import archive", chooseArchive),
  );
}

async function enter() {
  trouble = "";
  try {
    await loadChampions();
  } catch (error) {
    trouble = reason(error);
  }
  draw();
}

const engineTitles = () => (state.telemetry?.engines ?? []).map(({ title }) => title).join();

function draw() {
  titles = engineTitles();
  const { count, search, sort, session } = parts;
  const shown = state.champions.filter((champion) => fits(champion, search.value)).sort(SORTS[sort.value].compare);
  count.textContent = String(state.champions.length || "");
  session.hidden = !(access.owner && access.login === "basic");
  drawVisit();
  drawNone(shown);
  drawCards(shown);
  drawJobs();
}

/** Show what visitors may do, and a login link. */
function drawVisit() {
  const { visit } = parts;
  const words = "You are a visitor. You can play and use champions. Only the owner can save, edit or upload champions.";
  const log = h("button.link", { type: "button", onclick: openLogin }, "Log in");
  visit.hidden = access.owner || !access.login;
  visit.replaceChildren(h("span", {}, words), ...(access.login === "basic" ? [log] : []));
}

/** Show a message with the next step if no card is shown. @param {Champion[]} shown */
function drawNone(shown) {
  const { none, grid, search, sort } = parts;
  none.hidden = shown.length > 0;
  grid.hidden = !shown.length;
  for (const one of [search, sort]) if (one.parentElement) one.parentElement.hidden = !state.champions.length;
  if (!shown.length) none.replaceChildren(...emptyState());
}

function emptyState() {
  const { search } = parts;
  const link = (/** @type {string} */ words) => h("a.button", { href: "#speak" }, words);
  const press = (/** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h("button.primary", { type: "button", onclick }, words);
  const clear = () => {
    search.value = "";
    draw();
    search.focus();
  };
  if (trouble) return [h("p.lead", {}, trouble), press("Try again", enter)];
  if (state.champions.length)
    return [h("p.lead", {}, sentence(`No champion matches “${search.value}”`)), press("Clear search", clear)];
  if (!access.owner) return [h("p.lead", {}, "No champions yet."), link("Use a sample voice")];
  return [
    h("p.lead", {}, "A champion is a saved voice."),
    h("p", {}, "Generate a take, then press Keep as champion on the take. Or drop an archive here."),
    link("Generate a take"),
  ];
}

/**
 * Update the cards. Cards that stay keep focus and playback; if the focused card is removed, the next card gets the
 * focus.
 * @param {Champion[]} shown
 */
function drawCards(shown) {
  const { grid } = parts;
  const focused = places().indexOf(focusedCard());
  for (const [id, card] of cards) {
    if (!shown.some((champion) => champion.id === id)) card.element.remove();
    if (!state.champions.some((champion) => champion.id === id)) cards.delete(id);
  }
  shown.forEach((champion, place) => {
    const card = cards.get(champion.id) ?? new ChampionCard(champion, ACTS, optionsOf);
    cards.set(champion.id, card);
    card.update(champion, `${titles} ${access.owner}`);
    if (grid.children[place] !== card.element) grid.insertBefore(card.element, grid.children[place] ?? null);
  });
  if (focused >= 0 && !focusedCard()) places()[Math.min(focused, shown.length - 1)]?.focus();
}

function places() {
  return /** @type {(HTMLElement | null)[]} */ ([...parts.grid.children]);
}

/** @returns {HTMLElement | null} */
function focusedCard() {
  return document.activeElement?.closest("li.champion") ?? null;
}

/** Show each job on the card of its champion, or above the cards. */
function drawJobs() {
  const all = jobs().filter(({ kind }) => kind !== "plan"); // the dialog that started a plan waits for it
  const isOnCard = (/** @type {Job} */ { champion, kind }) =>
    kind !== "import" && Boolean(cards.get(champion)?.element.isConnected);
  for (const [id, card] of cards) card.drawJobs(all.filter((job) => job.champion === id && isOnCard(job)));
  parts.work.show(all.filter((job) => !isOnCard(job)));
}

/** @param {number} by */
function step(by) {
  const elements = places();
  const now = elements.indexOf(focusedCard());
  elements[now < 0 ? 0 : clamp(now + by, 0, elements.length - 1)]?.focus();
}

/** Keys of this page; see frame/shortcuts.js. */
export const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  " ": () => cards.get(focusedCard()?.dataset.id ?? "")?.reference.toggle(),
  "/": () => parts.search.focus(),
};
