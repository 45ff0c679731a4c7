/** The ticked takes, and playback of several takes. */
import { playAll, progress, stopAll } from "../audio/playlist.js";
import { load } from "../audio/tracks.js";
import { changed } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { Selection } from "../core/selection.js";
import { select, state } from "../core/state.js";
import { shownTakes } from "./filter.js";
import { audioOf } from "./takes.js";

/** @import { Modifiers } from "../core/selection.js" */

const selection = new Selection();

/** @param {string} id */
export function isChosen(id) {
  return selection.ids.has(id);
}

/** Return the ticked takes in the order of the list; none if nothing is ticked. */
export function chosenTakes() {
  return shownTakes().filter(({ id }) => selection.ids.has(id));
}

/** Return the takes for a menu above the list: the ticked ones, or else all shown takes. */
export function targetTakes() {
  const chosen = chosenTakes();
  return chosen.length ? chosen : shownTakes();
}

/** Handle a click on a take, with or without Shift, Ctrl or Cmd. @param {string} id @param {Modifiers} how */
export function press(id, how) {
  selection.press(id, how, order(), state.selected);
  select(id);
  tell(how.shiftKey || how.ctrlKey || how.metaKey);
}

/** Tick or untick a take. @param {string} id */
export function toggleChosen(id) {
  selection.toggle(id);
  select(id);
  tell(true);
}

export function chooseNone() {
  selection.clear();
  changed(STATE.selected);
}

/** Untick takes that were deleted or are filtered out. */
export function keepChosen() {
  selection.keep(order());
}

function order() {
  return shownTakes().map(({ id }) => id);
}

/** @param {boolean} several */
function tell(several) {
  if (several && selection.ids.size) announce(`${plural(selection.ids.size, "take")} ticked.`);
}

/** Play the ticked takes, or all takes from the current one; stop if takes already play. */
export function playThrough() {
  if (progress()) return stopAll();
  const chosen = chosenTakes();
  const shown = shownTakes();
  const from = Math.max(
    0,
    shown.findIndex(({ id }) => id === state.selected),
  );
  return playAll(
    (chosen.length ? chosen : shown.slice(from)).map((take) => ({
      key: take.id,
      load: () => load(audioOf(take), take.sample_rate),
      begin: () => select(take.id),
    })),
  );
}
