/** The tools above the takes: search, choice of a folder, and actions on the ticked or shown takes. */
import { playButton } from "../audio/play-button.js";
import { follow } from "../core/bus.js";
import { announce, h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { entry, menu } from "../core/menu.js";
import { state } from "../core/state.js";
import { debounced } from "../core/timing.js";
import { exportMenu } from "./export.js";
import { filter, setFilter, shownTakes } from "./filter.js";
import { foldersOf } from "./fits.js";
import { lostWords } from "./heard.js";
import { openMove } from "./move.js";
import { chooseNone, chosenTakes, playThrough, targetTakes } from "./selection.js";
import { discard } from "./takes.js";
import { SEARCH_HINT, search as searches, untilComplete } from "./until-complete.js";

/** Values of the folder select. The value of a folder is "/" and its name. */
const [ALL, NONE] = ["all", "none"];

const tell = debounced(500, () => announce(`${plural(shownTakes().length, "take")} found.`)); // after a pause in typing

/** @param {Parameters<typeof setFilter>[0]} changes */
function choose(changes) {
  setFilter(changes);
  tell();
}

/** @type {HTMLInputElement} */
export const search = h("input.search", {
  type: "search",
  placeholder: "Search",
  "aria-label": "Search takes",
  title: "Search text, voice, engine or seed",
  oninput: () => choose({ search: search.value }),
});

/** Return search and choice of a folder. */
export function finder() {
  /** @type {HTMLSelectElement} */
  const folder = h("select.sort", { "aria-label": "Folder", onchange: () => choose({ folder: chosen(folder.value) }) });
  follow([STATE.takes, STATE.filter], () => {
    if (search.value !== filter.search) search.value = filter.search;
    drawFolders(folder);
  });
  return h(
    "div.take-find",
    {},
    h("span.search-holder", {}, icon("search"), search),
    h("span.select", {}, folder, icon("down")),
  );
}

/** Draw the folder select. The chosen folder is an option even if it is empty. @param {HTMLSelectElement} select */
function drawFolders(select) {
  const kept = new Set([...foldersOf(state.takes), ...(filter.folder ? [filter.folder] : [])]);
  const option = (/** @type {string} */ value, /** @type {string} */ words) => h("option", { value }, words);
  select.replaceChildren(
    option(ALL, "All takes"),
    ...[...kept].map((name) => option(`/${name}`, name)),
    option(NONE, "No folder"),
  );
  select.value = filter.folder === null ? ALL : filter.folder ? `/${filter.folder}` : NONE;
}

/** @param {string} value */
function chosen(value) {
  if (value === ALL) return null;
  return value === NONE ? "" : value.slice(1);
}

/** Return the Play through button, and menus for the ticked takes, or else for all shown takes. */
export function actions({ hidden = false } = {}) {
  const play = playButton("Play ticked takes, or all takes from the current one (T)", playThrough);
  const count = h("b");
  const chosen = h("span.chosen-takes", {}, count, iconButton("close", "Untick all takes", chooseNone));
  const more = menu(iconButton("dots", "Actions for takes"), () => {
    const takes = targetTakes();
    const [words, starred] = [plural(takes.length, "take"), takes.filter((take) => take.starred).length];
    const lost = state.takes.find(
      ({ id, heard, order }) => id === state.selected && lostWords(heard) && !order.performance && !order.design,
    );
    return [
      ...(lost && !searches() ? [entry("Generate until complete", () => untilComplete(lost), SEARCH_HINT)] : []),
      entry(`Move ${words} to a folder…`, () => openMove(takes)),
      entry(`Delete ${words}${starred ? ` (${starred} starred)` : ""}`, () => discard(takes.map(({ id }) => id))),
    ];
  });
  follow([STATE.selected, STATE.takes, STATE.filter], () => {
    const many = chosenTakes().length;
    chosen.hidden = !many;
    count.textContent = `${many} ticked`;
  });
  return h("div.take-menus", { hidden }, chosen, play, more, exportMenu());
}
