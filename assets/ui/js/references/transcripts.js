/** What was typed as said in each part of each clip, and where each clip was left. Kept in this browser. */
import { follow, on } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { state } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { debounced } from "../core/timing.js";

/**
 * Where a clip was left, and the words of its parts by their names, newest first.
 * @typedef {Part & {words: [string, string][]}} Entry
 */
const KEY = "studio-transcripts-1";
const CLIPS_MAX = 100;
const PARTS_MAX = 12; // of each clip

/** By clip; what this page changed: another tab may have changed others. @type {Record<string, Entry>} */
const changed = {};
/** The voice whose words stand in the field. @type {Voice | null} */
let current = null;
/** Words the studio put there; what differs from them was typed. @type {string | null} */
let proposed = null;

/** @type {Record<string, Entry>} */
const kept = loadJson(KEY, {});
const soon = debounced(200, saveChanges);
follow(STATE.voice, () => state.voice && enter(state.voice));
on(EVENT.field, (name) => name === "transcript" && current && note(current));
addEventListener("pagehide", saveChanges);

/** The words typed for a part; null where none were. @param {Clip} clip @param {Part} part */
export function typedFor(clip, part) {
  return kept[clip.id]?.words.find(([name]) => name === nameOf(part))?.[1] ?? null;
}

/** What is said in the whole clip, where that is known. @param {Clip} clip */
export function wholeOf(clip) {
  return typedFor(clip, { start_s: 0, end_s: clip.duration_s }) ?? clip.transcript ?? null;
}

/** The part a clip was left at, or its best. @param {Clip} clip @returns {Part} */
export function partOf(clip) {
  const { start_s, end_s } = kept[clip.id] ?? clip.windows[0];
  return { start_s, end_s };
}

/**
 * Keep words for a part, also of a clip that is not the voice now.
 * @param {Clip} clip @param {Part} part @param {string} words
 */
export function keep(clip, part, words) {
  change(clip, { ...partOf(clip), words: [entryOf(part, words), ...others(clip, part)].slice(0, PARTS_MAX) });
}

/** Put words into the field that nobody typed. @param {string} words */
export function propose(words) {
  proposed = words;
  fields.write("transcript", words);
}

/** Whether somebody typed what stands in the field. */
export function isTyped() {
  const words = fields.text("transcript");
  return Boolean(words.trim()) && words !== proposed;
}

/** Another voice: words that were carried along into the part left now are kept with it. @param {Voice} voice */
function enter(voice) {
  if (current && current.clip.id !== voice.clip.id && isTyped()) keep(current.clip, current, fields.text("transcript"));
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
  delete changed[clip.id]; // so that the newest stand last
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
