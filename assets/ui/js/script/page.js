/** The Script page: a sheet of lines and their takes. */

import { access } from "../core/access.js";
import { follow } from "../core/bus.js";
import { setFocusPlace } from "../core/click-focus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { openLogin } from "../core/login.js";
import { page } from "../core/pages.js";
import { addLine } from "./adding.js";
import { openCast } from "./cast-dialog.js";
import { choice } from "./choice.js";
import { listenForClipboard } from "./clipboard.js";
import { openDeliver } from "./deliver-dialog.js";
import { Drawer } from "./drawer.js";
import { toText } from "./editor.js";
import { Filters } from "./filters.js";
import { Grid } from "./grid.js";
import { ImportNotes } from "./import-notes.js";
import { beginSheet, bringExample, chooseSheet } from "./imports.js";
import { listenForScriptKeys } from "./keys.js";
import { openLexicon } from "./lexicon-dialog.js";
import { ALL } from "./lines.js";
import { askPaste } from "./name-dialog.js";
import { notices } from "./notices.js";
import { listenForClicks } from "./pointer.js";
import { reportRemoteEdits } from "./remote-edits.js";
import { RenderBar } from "./render-bar.js";
import { renderSelection } from "./render-dialog.js";
import { loadLastOpen, scriptState } from "./state.js";
import { isFiltered, setFilter, view } from "./view.js";
import { loadVoices } from "./voices.js";

/** @param {HTMLElement} element */
export function mount(element) {
  const add = () => addLine(grid);
  const grid = new Grid({ add });
  const drawer = new Drawer({ edit: () => editText(grid, drawer) });
  const reveal = () => grid.reveal();
  const [filters, bar, imported] = [new Filters({ add, reveal }), new RenderBar(), new ImportNotes(grid)];
  const messages = h("div.notice-place");
  const { element: notes, row } = notices([bar.notes, imported.element], () => imported.close());
  const status = h("div.script-status", {}, bar.progress, row);
  const acts = [bar.element, tools()]; // shown only with a sheet
  const [empty, none] = [h("div.empty.script-empty", { hidden: true }), h("div.none-fits", { hidden: true })];
  const head = h("div.script-head", {}, h("h2.sr-only", {}, "Script"), choice(), h("span.gap"), ...acts);
  const lines = [grid.element, none, drawer.element];
  const main = h("div.script-main", {}, status, imported.list, filters.element, ...lines);
  const drop = h("p.drop-note", { "aria-hidden": "true" }, icon("download"), "Drop a sheet here to import");
  element.append(h("div.script", {}, head, main, empty, drop));
  listenForScriptKeys(element, {
    grid,
    find: () => filters.find.select(),
    note: () => drawer.note(),
    render: renderSelection,
  });
  listenForClicks(grid, drawer);
  listenForClipboard(grid);
  reportRemoteEdits();
  followSheet({ head, main, acts, empty, notes, messages }, grid);
  follow(STATE.view, () => drawNone(none, { add, reveal }));
  setFocusPlace("script", () => grid.cell());
  follow(STATE.page, () => page() === "script" && loadVoices().catch(() => {}));
}

/**
 * Show the sheet, or an explanation if there is none.
 * @param {{head: HTMLElement, main: HTMLElement, acts: HTMLElement[], empty: HTMLElement, notes: HTMLElement, messages:
 *   HTMLElement}} parts
 * @param {Grid} grid
 */
function followSheet({ head, main, acts, empty, notes, messages }, grid) {
  follow([STATE.script, STATE.access], () => {
    const shown = Boolean(access.owner && scriptState.sheet);
    [head.hidden, main.hidden] = [!access.owner || !scriptState.projects?.length, !shown];
    for (const act of acts) act.hidden = !shown;
    if (messages.parentElement !== (shown ? notes : head.parentElement))
      shown ? notes.prepend(messages) : head.after(messages);
    empty.hidden = shown;
    const now = JSON.stringify([access, scriptState.trouble, scriptState.projects?.length]);
    if (!shown && empty.dataset.drawn !== now) empty.replaceChildren(...emptyState());
    empty.dataset.drawn = shown ? "" : now;
    if (shown && grid.layoutOf !== layout()) grid.layOut(layout());
  });
}

/** Return a key of the data that the grid's columns depend on. */
function layout() {
  return JSON.stringify([scriptState.sheet?.id, scriptState.sheet?.columns, scriptState.sheet?.roles]);
}

/** @param {Grid} grid @param {Drawer} drawer */
function editText(grid, drawer) {
  drawer.open(false);
  toText(grid);
}

function tools() {
  const button = (/** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h("button.quiet", { type: "button", onclick }, words);
  return h(
    "div.script-tools",
    {},
    button("Cast", openCast),
    button("Lexicon", openLexicon),
    button("Deliver", openDeliver),
  );
}

/**
 * Show why there are no lines, and a button for the next step.
 * @param {HTMLElement} none @param {{add: () => void, reveal: () => void}} acts
 */
function drawNone(none, { add, reveal }) {
  none.hidden = view.shown.length > 0 || !scriptState.sheet;
  if (none.hidden) return;
  const button = (/** @type {string} */ look, /** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h(`button.${look}`, { type: "button", onclick }, words);
  const showAll = () => {
    setFilter(ALL);
    reveal();
  };
  none.replaceChildren(
    h("p", {}, isFiltered() ? "No line matches the filter." : "This sheet has no lines yet."),
    isFiltered() ? button("quiet", "Show all lines", showAll) : button("primary", "Add first line", add),
  );
}

/** Return an explanation and buttons for a page without a sheet. */
function emptyState() {
  const button = (/** @type {string} */ look, /** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h(`button.${look}`, { type: "button", onclick }, words);
  if (access.login && !access.owner)
    return [
      h("p.lead", {}, "Only the owner of this studio can use scripts."),
      ...(access.login === "basic" ? [button("primary", "Log in", openLogin)] : []),
    ];
  if (scriptState.trouble) return [h("p.lead", {}, scriptState.trouble), button("primary", "Try again", loadLastOpen)];
  if (!scriptState.projects) return [h("p.lead", {}, "Loading scripts…")];
  return [
    h("p.lead", {}, "Render hundreds of lines from one sheet."),
    h(
      "p",
      {},
      "Import a spreadsheet with ids, characters and texts. The studio renders takes of each line in the voice of the ",
      "character. Listen, select the best takes, and deliver files for your game engine.",
    ),
    h(
      "div.empty-acts",
      {},
      button("primary", "Import sheet", chooseSheet),
      button("quiet", "Paste sheet", askPaste),
      button("quiet", "New empty sheet", beginSheet),
      button("quiet", "Open example", bringExample),
    ),
    h(
      "p.hint",
      {},
      "CSV, TSV or XLSX: drop the file on this page",
      h("span.by-key", {}, ", or copy cells in your spreadsheet and press ", h("kbd", {}, "Ctrl V")),
      ".",
    ),
  ];
}
