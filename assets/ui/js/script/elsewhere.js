/** What somebody else, or another tab, did to lines that were being changed here: nothing of it is lost unsaid. */
import { on } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import { plural } from "../core/format.js";
import { toast } from "../core/toast.js";
import { desk, roles } from "./desk.js";
import { cellOf } from "./lines.js";
import { submit } from "./outbox.js";
import { perform } from "./undo.js";

/** @import { Place } from "./outbox.js" */

const SHOWN = 80; // characters

export function hearElsewhere() {
  on(EVENT.sheetSaved, (saved) => {
    tellOverwritten(saved);
    tellDeleted(saved);
  });
}

/** What was written here took the place of what was not seen here. @param {SavedChange} saved */
function tellOverwritten({ place, told: { overwritten: cells = [] } }) {
  if (!cells.length) return;
  const [{ line, value }] = cells;
  const short = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  const words =
    cells.length > 1
      ? `${plural(cells.length, "cell")} were also changed in another window. Your edits replaced those changes.`
      : `${nameOf(line)} was also changed in another window, to “${short}”. Your edit replaced that change.`;
  toast(words, {
    stays: true,
    action: "Use other version",
    onaction: () => change({ cells }, place, "other version"),
  });
}

/** What was written here stands in lines that are not there any more. @param {SavedChange} saved */
function tellDeleted({ place, change: { cells = [] }, told }) {
  const written = new Set(cells.map(({ line }) => line));
  const gone = told.lines.filter(({ key, deleted }) => deleted && written.has(key)).map(({ key }) => key);
  if (!gone.length) return;
  const words =
    gone.length > 1 ? `${plural(gone.length, "line")} that you edited were` : "The line that you edited was";
  const onaction = () => change({ restore: gone }, place, "restored lines");
  toast(`${words} deleted in another window.`, { stays: true, action: "Restore", onaction });
}

/** @param {SheetChange} change @param {Place} place @param {string} words */
function change(change, place, words) {
  if (place.sheet === desk.sheet?.id) perform(change, words);
  else submit(change, place);
}

/** @param {string} key */
function nameOf(key) {
  const line = desk.lines.get(key);
  return (line && cellOf(line, roles(), "id")) || "The line";
}
