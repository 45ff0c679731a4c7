/** The typed transcripts of the parts of each clip, and the last selected part. The browser keeps them. */
import { follow, on } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { state } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { debounced } from "../core/timing.js";

/**
 * The last selected part of a clip, and pairs of a part's name and its transcript, newest first.
 * @typedef {Part & {words: [string, string][]}} Entry
 */
const KEY = "studio-transcripts-1";
const CLIPS_MAX = 100;
const PARTS_MAX = 12; // per clip

/** Entries that this page changed, by clip. Another tab may have changed others. @type {Record<string, Entry>} */
const changed = {};
/** The voice whose transcript is in the field. @type {Voice | null} */
let current = null;
/**
 * The text that the studio wrote into the field. If the field has another text, the user typed it.
 * @type {string | null}
 */
let proposed = null;

/** @type {Record<string, Entry>} */
const kept = loadJson(KEY, {});
const soon = debounced(200, saveChanges);
follow(STATE.voice, () => state.voice && enter(state.voice));
on(EVENT.field, (name) => name === "transcript" && current && note(current));
addEventListener("pagehide", saveChanges);

/** Return the transcript that was typed for a part; null if there is none. @param {Clip} clip @param {Part} part */
export function typedFor(clip, part) {
  return kept[clip.id]?.words.find(([name]) => name === nameOf(part))?.[1] ?? null;
}

/** Return the transcript of the whole clip; null if it is unknown. @param {Clip} clip */
export function wholeOf(clip) {
  return typedFor(clip, { start_s: 0, end_s: clip.duration_s }) ?? clip.transcript ?? null;
}

/** Return the last selected part of a clip, or its best part. @param {Clip} clip @returns {Part} */
export function partOf(clip) {
  const { start_s, end_s } = kept[clip.id] ?? clip.windows[0];
  return { start_s, end_s };
}

/**
 * Keep a transcript for a part. The clip need not be the current voice.
 * @param {Clip} clip @param {Part} part @param {string} words
 */
export function keep(clip, part, words) {
  change(clip, { ...partOf(clip), words: [entryOf(part, words), ...others(clip, part)].slice(0, PARTS_MAX) });
}

/** Write a proposed text into the field. It does not count as typed by the user. @param {string} words */
export function propose(words) {
  proposed = words;
  fields.write("transcript", words);
}

/** Return true if the text in the field was typed. */
export function isTyped() {
  const words = fields.text("transcript");
  return Boolean(words.trim()) && words !== proposed;
}

/**
 * Change the current voice. If the clip changes, the typed text in the field is kept for the previous part. Text typed
 * before the first voice was chosen is for that voice.
 * @param {Voice} voice
 */
function enter(voice) {
  const typed = isTyped() ? fields.text("transcript") : "";
  if (typed && !current) keep(voice.clip, voice, typed);
  else if (typed && current && current.clip.id !== voice.clip.id) keep(current.clip, current, typed);
  current = voice;
  proposed = null;
  const { start_s, end_s } = voice;
  change(voice.clip, { start_s, end_s, words: kept[voice.clip.id]?.words ?? [] });
}

/** @param {Voice} voice */
function note(voice) {
  if (isTyped()) keep(voice.clip, voice, fields.text("transcript"));
  else change(voice.clip, { ...partOf(voice.clip), words: others(voice.clip, voice) });
}

/** @param {Part} part @param {string} words @returns {[string, string]} */
function entryOf(part, words) {
  return [nameOf(part), words];
}

/** @param {Clip} clip @param {Part} part */
function others(clip, part) {
  return (kept[clip.id]?.words ?? []).filter(([name]) => name !== nameOf(part));
}

/** @param {Clip} clip @param {Entry} entry */
function change(clip, entry) {
  delete changed[clip.id]; // puts the newest entry last
  changed[clip.id] = entry;
  kept[clip.id] = entry;
  soon();
}

/** @param {Part} part */
function nameOf({ start_s, end_s }) {
  return `${start_s.toFixed(3)} ${end_s.toFixed(3)}`;
}

function saveChanges() {
  const all = loadJson(KEY, /** @type {Record<string, Entry>} */ ({}));
  for (const [id, entry] of Object.entries(changed)) {
    delete all[id];
    all[id] = entry;
  }
  saveJson(KEY, Object.fromEntries(Object.entries(all).slice(-CLIPS_MAX)));
}
