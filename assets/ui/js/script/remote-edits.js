/**
 * Messages about conflicts with changes from other windows or users. Each message offers to restore the other version.
 */
import { on } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import { plural } from "../core/format.js";
import { toast } from "../core/toast.js";
import { cellOf } from "./lines.js";
import { submit } from "./outbox.js";
import { roles, scriptState } from "./state.js";
import { perform } from "./undo.js";

/** @import { Place } from "./outbox.js" */

const SHOWN = 80; // characters

export function reportRemoteEdits() {
  on(EVENT.sheetSaved, (saved) => {
    tellOverwritten(saved);
    tellDeleted(saved);
  });
}

/** Report cells whose change from another window was overwritten by an edit of this page. @param {SavedChange} saved */
function tellOverwritten({ place, told: { overwritten: cells = [] } }) {
  if (!cells.length) return;
  const [{ line, value }] = cells;
  const short = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  const words =
    cells.length > 1
      ? `Your edits replaced ${plural(cells.length, "cell")} that were changed in another window.`
      : `Your edit of ${nameOf(line)} replaced a change from another window: “${short}”`;
  toast(words, {
    stays: true,
    action: "Use the other version",
    onaction: () => change({ cells }, place, "use other version"),
  });
}

/** Report edited lines that another window deleted. @param {SavedChange} saved */
function tellDeleted({ place, change: { cells = [] }, told }) {
  const written = new Set(cells.map(({ line }) => line));
  const gone = told.lines.filter(({ key, deleted }) => deleted && written.has(key)).map(({ key }) => key);
  if (!gone.length) return;
  const words =
    gone.length > 1 ? `${plural(gone.length, "line")} that you edited were` : "The line that you edited was";
  const onaction = () => change({ restore: gone }, place, `restore ${plural(gone.length, "line")}`);
  toast(`${words} deleted in another window.`, { stays: true, action: "Restore", onaction });
}

/** @param {SheetChange} change @param {Place} place @param {UndoLabel} words */
function change(change, place, words) {
  if (place.sheet === scriptState.sheet?.id) perform(change, words);
  else submit(change, place);
}

/** @param {string} key */
function nameOf(key) {
  const line = scriptState.lines.get(key);
  return (line && cellOf(line, roles(), "id")) || "the line";
}
