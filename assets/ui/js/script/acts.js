/** Actions on lines and takes. The target lines are the ticked lines, or else the cursor's line. */
import * as player from "../audio/player.js";
import { progress } from "../audio/playlist.js";
import { load } from "../audio/tracks.js";
import { announce } from "../core/dom.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { toast } from "../core/toast.js";
import { decides } from "./changes.js";
import { displayed, takeAt } from "./line-takes.js";
import { nameOf } from "./lines.js";
import { projectPath, roles, scriptState } from "./state.js";
import { perform } from "./undo.js";
import { chooseTake, current, takeOfLine, targets, view } from "./view.js";

export const RATE = 48_000; // sample rate for takes
/** @type {Record<Exclude<Mark, "">, string>} */
const MARKED = {
  select: "Marked as select",
  hold: "Marked as hold",
  retake: "Marked as retake",
};

/** @param {LineTake} take */
export function soundOf({ id }) {
  return projectPath(`/takes/${id}/audio.wav`);
}

/** Play a take from its last position, or stop it. @param {LineTake} take */
export function togglePlay(take) {
  if (player.isPlaying(take.id)) return player.stop();
  return play(take, player.positionOf(take.id));
}

/** @param {LineTake} take */
function play(take, from_s = 0) {
  return attempt(async () => player.play(take.id, await load(soundOf(take), RATE), from_s));
}

/** Play or stop the take of a line, by default the cursor's line. */
export function playLine(line = current()) {
  const take = line && takeOfLine(line);
  if (take) return togglePlay(take);
  return line && toast("This line has no take yet.");
}

/** Choose and play a take of the cursor's line. @param {number} digit */
export function playDigit(digit) {
  const line = current();
  const take = line && takeAt(line, digit, view.blind);
  if (!line || !take) return toast(`This line has no take ${digit}.`);
  chooseTake(line, take);
  return play(take);
}

/** Choose and play the take before or after the chosen one of the cursor's line. @param {number} by */
export function playNext(by) {
  const line = current();
  const take = line && takeOfLine(line);
  if (!line || !take) return undefined;
  const takes = displayed(line, view.blind);
  const next = takes[takes.indexOf(take) + by];
  if (!next) return undefined;
  chooseTake(line, next);
  return play(next);
}

/** Return the chosen takes of the target lines; during "Play through", only of the line that plays. */
function targetTakes() {
  return (progress() && view.line ? [view.line] : targets()).flatMap((key) => {
    const line = scriptState.lines.get(key);
    const take = line && takeOfLine(line);
    return line && take ? [{ line, take }] : [];
  });
}

/** Mark the target takes. @param {Exclude<Mark, "">} mark */
export function mark(mark) {
  const targeted = targetTakes();
  if (!targeted.length) return noTakes();
  const marks = targeted.map(({ line, take }) => ({ line: line.key, take: take.id, mark }));
  perform(
    { marks },
    `mark ${nameOf(
      targeted.map(({ line }) => line),
      roles(),
    )} as ${mark}`,
  );
  return announce(targeted.length > 1 ? `${MARKED[mark]}: ${plural(targeted.length, "line")}.` : `${MARKED[mark]}.`);
}

/** Return true if this mark determines the status of all target lines. @param {Exclude<Mark, "">} mark */
export function isMarked(mark) {
  const targeted = targetTakes();
  return targeted.length > 0 && targeted.every(({ line, take }) => decides(line, take, mark));
}

/** Set a mark; remove it if it already determines the status of all target lines. @param {Exclude<Mark, "">} given */
export function toggleMark(given) {
  return isMarked(given) ? unmark() : mark(given);
}

/** Remove the mark of the chosen take, or all marks of ticked lines. */
export function unmark() {
  const targeted = targetTakes();
  if (!targeted.length) return noTakes();
  const all = view.selected.size > 0 && !progress();
  const marks = targeted.flatMap(({ line, take }) =>
    (all ? line.takes : [take])
      .filter(({ mark }) => mark)
      .map(({ id }) => ({ line: line.key, take: id, mark: /** @type {Mark} */ ("") })),
  );
  if (!marks.length) return toast(all ? "These lines have no marks." : "This take has no mark.");
  const lines = targeted.map(({ line }) => line).filter(({ key }) => marks.some(({ line }) => line === key));
  const message = all ? `Marks removed (${plural(lines.length, "line")}).` : "Mark removed.";
  return perform({ marks }, `remove mark of ${nameOf(lines, roles())}`, { message });
}

function noTakes() {
  return toast(targets().length > 1 ? "These lines have no takes yet." : "This line has no take yet.");
}

/** Select the new take of lines whose select is stale. @param {ScriptLine[]} lines */
export function selectNew(lines) {
  const marks = lines.flatMap(({ key, takes }) => {
    const take = takes.find(({ proposed }) => proposed);
    return take ? [{ line: key, take: take.id, mark: /** @type {Mark} */ ("select") }] : [];
  });
  const takes = plural(marks.length, "new take");
  perform({ marks }, `select ${takes}`, { message: `${takes} marked as select.` });
}

/** @param {ScriptLine} line @param {LineTake} take @param {string} comment */
export function comment(line, take, comment) {
  perform({ marks: [{ line: line.key, take: take.id, comment }] }, `edit note in ${nameOf([line], roles())}`);
}

/** Delete the target lines; this can be undone. */
export function discard() {
  const keys = targets();
  if (!keys.length) return;
  const lines = plural(keys.length, "line");
  perform({ delete: keys }, `delete ${lines}`, { message: `${lines} deleted.` });
}

/** Set one column of all target lines to a value. @param {number} column @param {string} value */
export function fill(column, value) {
  const keys = targets();
  const cells = keys.map((line) => ({ line, column, value }));
  const lines = plural(keys.length, "line");
  perform({ cells }, `change ${scriptState.sheet?.columns[column]} in ${lines}`, { message: `${lines} changed.` });
}
