/** Plays several takes one after another: of the ticked lines, of all lines from the cursor on, or of one line. */
import { playAll, progress, stopAll } from "../audio/playlist.js";
import { load } from "../audio/tracks.js";
import { toast } from "../core/toast.js";
import { RATE, soundOf } from "./acts.js";
import { displayed } from "./line-takes.js";
import { scriptState } from "./state.js";
import { chooseTake, current, putCursor, takeOfLine, view } from "./view.js";

/** @param {ScriptLine} line @param {LineTake} take @returns {import("../audio/playlist.js").Item} */
function item(line, take) {
  const begin = () => {
    putCursor(line.key);
    chooseTake(line, take);
  };
  return { key: take.id, load: () => load(soundOf(take), RATE), begin };
}

/** Play the chosen take of each line and move the cursor along; stop if takes already play. */
export function playLines() {
  if (progress()) return stopAll();
  const { shown, selected, line } = view;
  const from = Math.max(0, shown.indexOf(line ?? ""));
  const keys = selected.size ? shown.filter((key) => selected.has(key)) : shown.slice(from);
  const items = keys.flatMap((key) => {
    const line = scriptState.lines.get(key);
    const take = line && takeOfLine(line);
    return line && take ? [item(line, take)] : [];
  });
  return items.length ? playAll(items) : toast("No takes to play. Render the lines first.");
}

/**
 * Play takes of the cursor's line: those with these ids, or all; stop if takes already play.
 * @param {Set<string>} ids
 */
export function playTakes(ids) {
  if (progress()) return stopAll();
  const line = current();
  const takes = line ? displayed(line, view.blind) : [];
  const chosen = takes.filter(({ id }) => ids.has(id));
  if (!takes.length) return toast("This line has no takes. Render the line first.");
  return line && playAll((chosen.length ? chosen : takes).map((take) => item(line, take)));
}
