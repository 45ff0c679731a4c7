/** The Champions page: the voices that were kept, and the work on them. */
import { waysOn } from "./afterwards.js";
import { follow } from "./bus.js";
import { ChampionCard } from "./champion.js";
import { h, icon } from "./dom.js";
import { openEditor } from "./editor.js";
import { chooseArchive } from "./imports.js";
import { begin, jobs } from "./jobs.js";
import { at, discard, loadChampions } from "./library.js";
import { logOut, openLogin } from "./login.js";
import { me } from "./me.js";
import { openDuplicate } from "./naming.js";
import { page } from "./pages.js";
import { openPush } from "./pushing.js";
import { post } from "./server.js";
import { speakWith } from "./speaker.js";
import { state } from "./state.js";
import { openStores } from "./stores.js";
import { openVersions } from "./versions.js";
import { openWeights } from "./weights.js";
import { WorkList } from "./work.js";

const won = ({ votes }) => votes?.won ?? -1;
const SORTS = {
  newest: ["Newest first", (one, other) => other.saved_at.localeCompare(one.saved_at)],
  name: ["By name", (one, other) => one.title.localeCompare(other.title)],
  votes: ["Most votes first", (one, other) => won(other) - won(one)],
};
const cards = new Map(); // id -> ChampionCard
let parts = null;
let trouble = ""; // why the champions could not be read

const ACTS = {
  speak: async ({ id }) => {
    await speakWith(id);
    location.hash = "#speak";
  },
  edit: openEditor,
  package: ({ id, version }) => begin(() => post(at(id, `/package?version=${version}`))),
  more: {
    "Push to…": openPush,
    Versions: openVersions,
    Duplicate: openDuplicate,
    "Attach weights": openWeights,
    Delete: discard,
  },
};

export function mount(element) {
  parts = {
    count: h("span.count"),
    ...tools(),
    visit: h("p.notice.visit", { hidden: true }),
    work: new WorkList(h("ul.works", { "aria-label": "Work under way" }), waysOn),
    none: h("div.empty", { hidden: true }),
    grid: h("ul.champion-grid", { "aria-label": "Champions" }),
    session: h(
      "p.hint.session",
      { hidden: true },
      "You are logged in as the studio’s owner.",
      h("button.link", { type: "button", onclick: logOut }, "Log out"),
    ),
  };
  const { count, tools: row, visit, work, none, grid, session } = parts;
  element.append(
    h(
      "div.champions",
      {},
      h("div.champions-head", {}, h("h2.page-title", {}, "Champions ", count), row),
      visit,
      work.element,
      none,
      grid,
      session,
      h("p.drop-note", { "aria-hidden": "true" }, icon("download"), "Drop an archive to import it"),
    ),
  );
  follow(["champions", "me"], draw);
  follow("jobs", drawWork);
  follow(["player", "performance", "takes"], () => cards.forEach((card) => card.drawLine()));
  follow("telemetry", () => parts.engines !== engineNames() && draw()); // titles of engines
  follow("page", () => page() === "champions" && enter());
}

/** Search, sort, and what brings champions in. */
function tools() {
  const search = h("input.search", { type: "search", placeholder: "Search", "aria-label": "Search champions" });
  search.addEventListener("input", draw);
  const options = Object.entries(SORTS).map(([value, [words]]) => h("option", { value }, words));
  const sort = h("select.sort", { "aria-label": "Sort", onchange: draw }, ...options);
  const owners = (sign, words, onclick) =>
    h("button.quiet", { type: "button", "data-owners": true, onclick }, icon(sign), words);
  return {
    search,
    sort,
    tools: h(
      "div.champions-tools",
      {},
      h("span.search-holder", {}, icon("search"), search),
      h("span.select", {}, sort, icon("down")),
      owners("store", "Pull from…", openStores),
      owners("upload", "Import", chooseArchive),
    ),
  };
}

async function enter() {
  trouble = "";
  try {
    await loadChampions();
  } catch (error) {
    trouble = error.message;
  }
  draw();
}

const engineNames = () => (state.telemetry?.engines ?? []).map(({ title }) => title).join();

function draw() {
  parts.engines = engineNames();
  const { champions } = state;
  const shown = chosen();
  parts.count.textContent = champions.length || "";
  parts.session.hidden = !(me.owner && me.login === "basic");
  drawVisit();
  drawNone(shown);
  drawCards(shown);
  drawWork();
}

/** Those that fit what is searched, in the order that was chosen. */
function chosen() {
  const words = parts.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, title, notes, engine }) =>
    words.every((word) => `${id} ${title} ${notes} ${engine}`.toLowerCase().includes(word));
  return state.champions.filter(fits).sort(SORTS[parts.sort.value][1]);
}

/** What visitors may do, and how to be the owner. */
function drawVisit() {
  const { visit } = parts;
  visit.hidden = me.owner || !me.login;
  const log = h("button.link", { type: "button", onclick: openLogin }, "Log in");
  visit.replaceChildren(
    h(
      "span",
      {},
      "You are visiting: hear the champions and speak with them. Keeping, editing and sending them is the owner’s.",
    ),
    ...(me.login === "basic" ? [log] : []),
  );
}

/** The one thing to do where no card shows. */
function drawNone(shown) {
  const { none, grid, search, sort } = parts;
  none.hidden = shown.length > 0;
  grid.hidden = !shown.length;
  for (const one of [search.parentNode, sort.parentNode]) one.hidden = !state.champions.length;
  if (shown.length) return;
  const link = (words) => h("a.button", { href: "#speak" }, words);
  const press = (words, onclick) => h("button.primary", { type: "button", onclick }, words);
  const clear = () => {
    search.value = "";
    draw();
    search.focus();
  };
  if (trouble) none.replaceChildren(h("p.lead", {}, trouble), press("Try again", enter));
  else if (state.champions.length)
    none.replaceChildren(h("p.lead", {}, `No champion fits “${search.value}”.`), press("Clear the search", clear));
  else if (me.owner)
    none.replaceChildren(
      h("p.lead", {}, "A champion is a voice you decided to keep."),
      h("p", {}, "Speak a line, then press Keep as champion on the take you like. Or drop an archive here."),
      link("Make a take"),
    );
  else none.replaceChildren(h("p.lead", {}, "No champion was kept here yet."), link("Speak with a sample"));
}

/** Cards that stay keep focus and playhead; where the focused one goes, the next has it. */
function drawCards(shown) {
  const { grid } = parts;
  const focused = [...grid.children].indexOf(focusedCard());
  const there = new Map(shown.map((champion) => [champion.id, champion]));
  for (const [id, card] of cards) {
    if (!there.has(id)) card.element.remove();
    if (!state.champions.some((champion) => champion.id === id)) cards.delete(id);
  }
  shown.forEach((champion, place) => {
    if (!cards.has(champion.id)) cards.set(champion.id, new ChampionCard(champion, ACTS, waysOn));
    const card = cards.get(champion.id);
    card.update(champion, `${parts.engines} ${me.owner}`);
    if (grid.children[place] !== card.element) grid.insertBefore(card.element, grid.children[place] ?? null);
  });
  if (focused >= 0 && !focusedCard()) grid.children[Math.min(focused, shown.length - 1)]?.focus();
}

function focusedCard() {
  return document.activeElement?.closest("li.champion");
}

/** Work shows on the card of its champion, or else above the cards. */
function drawWork() {
  const all = jobs().filter(({ kind }) => kind !== "plan"); // the dialog that asked for one waits for it
  const carded = ({ champion, kind }) => kind !== "import" && cards.get(champion)?.element.isConnected;
  cards.forEach((card, id) => card.drawWork(all.filter((job) => job.champion === id && carded(job))));
  parts.work.show(all.filter((job) => !carded(job)));
}

function step(by) {
  const elements = [...parts.grid.children];
  const now = elements.indexOf(focusedCard());
  elements[now < 0 ? 0 : Math.min(Math.max(now + by, 0), elements.length - 1)]?.focus();
}

/** Keys of this page; see keys.js. */
export const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  " ": () => cards.get(focusedCard()?.dataset.id)?.reference.toggle(),
  "/": () => parts.search.focus(),
};
