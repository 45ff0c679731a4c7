/** The Script page: a sheet of lines, their takes, and two hands on the keyboard. */

import { access } from "../core/access.js";
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { openLogin } from "../core/login.js";
import { page } from "../core/pages.js";
import { addLine } from "./adding.js";
import { openCast } from "./cast-dialog.js";
import { choice } from "./choice.js";
import { hearClipboard } from "./clipboard.js";
import { openDeliver } from "./deliver-dialog.js";
import { arrive, desk } from "./desk.js";
import { Drawer } from "./drawer.js";
import { toText } from "./editor.js";
import { hearElsewhere } from "./elsewhere.js";
import { Filters } from "./filters.js";
import { Grid } from "./grid.js";
import { ImportNotes } from "./import-notes.js";
import { beginSheet, bringExample, chooseSheet } from "./imports.js";
import { hearScriptKeys } from "./keys.js";
import { openLexicon } from "./lexicon-dialog.js";
import { ALL } from "./lines.js";
import { askPaste } from "./name-dialog.js";
import { hearPointer } from "./pointer.js";
import { RenderBar } from "./render-bar.js";
import { renderSelection } from "./render-dialog.js";
import { isFiltered, setFilter, view } from "./view.js";
import { loadVoices } from "./voices.js";

/** @param {HTMLElement} element */
export function mount(element) {
  const add = () => addLine(grid);
  const grid = new Grid({ add });
  const drawer = new Drawer({ edit: () => editText(grid, drawer) });
  const [filters, bar] = [new Filters({ add }), new RenderBar()];
  const notices = h("div.script-notices", {}, bar.notes, new ImportNotes(grid).element);
  const acts = [bar.element, tools()]; // with the sheet that shows
  const [empty, none] = [h("div.empty.script-empty", { hidden: true }), h("div.none-fits", { hidden: true })];
  const head = h("div.script-head", {}, h("h2.sr-only", {}, "Script"), choice(), h("span.gap"), ...acts);
  const main = h("div.script-main", {}, filters.element, notices, grid.element, none, drawer.element);
  const drop = h("p.drop-note", { "aria-hidden": "true" }, icon("download"), "Drop a sheet here to import");
  element.append(h("div.script", {}, head, h("div.notice-place"), main, empty, drop));
  hearScriptKeys(element, {
    grid,
    find: () => filters.find.select(),
    note: () => drawer.note(),
    render: renderSelection,
  });
  hearPointer(grid, drawer);
  hearClipboard(grid);
  hearElsewhere();
  follow([STATE.script, STATE.access], () => {
    const shown = Boolean(access.owner && desk.sheet);
    [head.hidden, main.hidden] = [!access.owner || !desk.projects?.length, !shown];
    for (const act of acts) act.hidden = !shown;
    empty.hidden = shown;
    const now = JSON.stringify([access, desk.trouble, desk.projects?.length]);
    if (!shown && empty.dataset.drawn !== now) empty.replaceChildren(...emptyState());
    empty.dataset.drawn = shown ? "" : now;
    if (shown && grid.layoutOf !== layout()) grid.layOut(layout());
  });
  follow(STATE.view, () => drawNone(none, add));
  follow(STATE.page, () => page() === "script" && loadVoices().catch(() => {}));
}

/** What the grid's columns depend on. */
function layout() {
  return JSON.stringify([desk.sheet?.id, desk.sheet?.columns, desk.sheet?.roles]);
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

/** Where no line shows: why, and what to do. @param {HTMLElement} none @param {() => void} add */
function drawNone(none, add) {
  none.hidden = view.shown.length > 0 || !desk.sheet;
  if (none.hidden) return;
  const button = (/** @type {string} */ look, /** @type {string} */ words, /** @type {() => void} */ onclick) =>
    h(`button.${look}`, { type: "button", onclick }, words);
  none.replaceChildren(
    h("p", {}, isFiltered() ? "No line matches the filter." : "This sheet has no lines yet."),
    isFiltered() ? button("quiet", "Show all lines", () => setFilter(ALL)) : button("primary", "Add first line", add),
  );
}

/** What will be here, and how it comes. */
function emptyState() {
  const button = (/** @type {string} */ look, /** @type {string} */ words, /** @type {() => unknown} */ onclick) =>
    h(`button.${look}`, { type: "button", onclick }, words);
  if (access.login && !access.owner)
    return [
      h("p.lead", {}, "Only the owner of this studio can use scripts."),
      ...(access.login === "basic" ? [button("primary", "Log in", openLogin)] : []),
    ];
  if (desk.trouble) return [h("p.lead", {}, desk.trouble), button("primary", "Try again", arrive)];
  if (!desk.projects) return [h("p.lead", {}, "Loading scripts…")];
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
