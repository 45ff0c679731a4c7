/** What is done with lines and takes by key or press. */
import * as player from "../audio/player.js";
import { progress } from "../audio/playlist.js";
import { load } from "../audio/tracks.js";
import { announce } from "../core/dom.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { decides } from "./changes.js";
import { desk, projectPath } from "./desk.js";
import { displayed, takeAt } from "./line-takes.js";
import { perform } from "./undo.js";
import { chooseTake, current, takeOfLine, targets, view } from "./view.js";

export const RATE = 48_000; // of the context that takes are heard at
/** @type {Record<Mark, string>} */
const MARKED = {
  "": "Mark removed",
  select: "Marked as select",
  hold: "Marked as hold",
  retake: "Marked as retake",
};

/** @param {LineTake} take */
export function soundOf({ id }) {
  return projectPath(`/takes/${id}/audio.wav`);
}

/** Play a take from its beginning, or stop it. @param {LineTake} take */
export function togglePlay(take) {
  if (player.isPlaying(take.id)) return player.stop();
  return play(take, player.positionOf(take.id));
}

/** @param {LineTake} take */
function play(take, from_s = 0) {
  return attempt(async () => player.play(take.id, await load(soundOf(take), RATE), from_s));
}

/** The take of the cursor's line, or of another. */
export function playLine(line = current()) {
  const take = line && takeOfLine(line);
  if (take) return togglePlay(take);
  return line && announce("This line has no take yet.");
}

/** Choose and play a take of the cursor's line. @param {number} digit */
export function playDigit(digit) {
  const line = current();
  const take = line && takeAt(line, digit, view.blind);
  if (!line || !take) return announce(`This line has no take ${digit}.`);
  chooseTake(line, take);
  return play(take);
}

/** The take before or after the chosen one of the cursor's line. @param {number} by */
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

/**
 * Mark the chosen take of each line that is meant, or, while takes play through, of the line that plays. Where the mark decides
 * every line already, take it away.
 * @param {Mark} mark
 */
export function mark(mark) {
  const meant = (progress() && view.line ? [view.line] : targets()).flatMap((key) => {
    const line = desk.lines.get(key);
    const take = line && takeOfLine(line);
    return line && take ? [{ line, take }] : [];
  });
  if (!meant.length) return announce("No take to mark.");
  const given = meant.every(({ line, take }) => decides(line, take, mark)) ? "" : mark;
  const marks = meant.map(({ line, take }) => ({ line: line.key, take: take.id, mark: /** @type {Mark} */ (given) }));
  perform({ marks }, `${given || "removed"} mark on ${plural(meant.length, "line")}`);
  return announce(meant.length > 1 ? `${MARKED[given]}: ${plural(meant.length, "line")}.` : `${MARKED[given]}.`);
}

/** Select the new take of lines whose select is stale. @param {ScriptLine[]} lines */
export function selectNew(lines) {
  const marks = lines.flatMap(({ key, takes }) => {
    const take = takes.find(({ proposed }) => proposed);
    return take ? [{ line: key, take: take.id, mark: /** @type {Mark} */ ("select") }] : [];
  });
  const takes = plural(marks.length, "new take");
  perform({ marks }, `select mark on ${takes}`, { message: `${takes} marked as select.` });
}

/** @param {ScriptLine} line @param {LineTake} take @param {string} comment */
export function comment(line, take, comment) {
  perform({ marks: [{ line: line.key, take: take.id, comment }] }, "note");
}

/** Delete the lines that are meant, with a way back. */
export function discard() {
  const keys = targets();
  if (!keys.length) return;
  const lines = plural(keys.length, "line");
  perform({ delete: keys }, `deletion of ${lines}`, { message: `${lines} deleted.` });
}

/** The text of one column in all lines that are meant. @param {number} column @param {string} value */
export function fill(column, value) {
  const keys = targets();
  const cells = keys.map((line) => ({ line, column, value }));
  const lines = plural(keys.length, "line");
  perform({ cells }, `change of ${desk.sheet?.columns[column]} in ${lines}`, { message: `${lines} changed.` });
}
