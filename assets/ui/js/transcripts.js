/** What was typed as said in each part of each clip, and where each clip was left. Kept in this browser. */
import { follow, on } from "./bus.js";
import { debounced } from "./dom.js";
import * as fields from "./fields.js";
import { state } from "./state.js";

/**
 * @typedef {{start_s: number, end_s: number}} Part
 * @typedef {Part & {words: [string, string][]}} Kept  where the clip was left; [part, words], newest first
 */
const KEY = "studio-transcripts-1";
const CLIPS_MAX = 100;
const PARTS_MAX = 12; // of each clip

const changed = {}; // clip id -> Kept, of this page; beside it another tab may have changed others
let current = null; // the voice whose words stand in the field
let proposed = null; // words the studio put there; what differs from them was typed

const kept = read();
const soon = debounced(200, save);
follow("voice", () => state.voice && enter(state.voice));
on("field", (name) => name === "transcript" && current && note());
addEventListener("pagehide", save);

/** The words typed for a part; null where none were. */
export function typedFor(clip, part) {
  return kept[clip.id]?.words.find(([name]) => name === nameOf(part))?.[1] ?? null;
}

/** What is said in the whole clip, where that is known. */
export function wholeOf(clip) {
  return typedFor(clip, { start_s: 0, end_s: clip.duration_s }) ?? clip.transcript ?? null;
}

/** The part a clip was left at, or its best. */
export function partOf(clip) {
  const { start_s, end_s } = kept[clip.id] ?? clip.windows[0];
  return { start_s, end_s };
}

/** Keep words for a part, also of a clip that is not the voice now. */
export function keep(clip, part, words) {
  change(clip, { ...partOf(clip), words: [[nameOf(part), words], ...others(clip, part)].slice(0, PARTS_MAX) });
}

/** Put words into the field that nobody typed. */
export function propose(words) {
  proposed = words;
  fields.write("transcript", words);
}

/** Whether somebody typed what stands in the field. */
export function isTyped() {
  const words = fields.text("transcript");
  return Boolean(words.trim()) && words !== proposed;
}

/** Another voice: words that were carried along into the part left now are kept with it. */
function enter(voice) {
  if (current && current.clip.id !== voice.clip.id && isTyped()) keep(current.clip, current, fields.text("transcript"));
  current = voice;
  proposed = null;
  const { start_s, end_s } = voice;
  change(voice.clip, { start_s, end_s, words: kept[voice.clip.id]?.words ?? [] });
}

function note() {
  if (isTyped()) keep(current.clip, current, fields.text("transcript"));
  else change(current.clip, { ...partOf(current.clip), words: others(current.clip, current) });
}

function others(clip, part) {
  return (kept[clip.id]?.words ?? []).filter(([name]) => name !== nameOf(part));
}

function change(clip, entry) {
  delete changed[clip.id]; // so that the newest stand last
  kept[clip.id] = changed[clip.id] = entry;
  soon();
}

function nameOf({ start_s, end_s }) {
  return `${start_s.toFixed(3)} ${end_s.toFixed(3)}`;
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // unreadable or forbidden: begin anew
  }
}

function save() {
  const all = read();
  for (const [id, entry] of Object.entries(changed)) {
    delete all[id];
    all[id] = entry;
  }
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(all).slice(-CLIPS_MAX))));
  } catch {
    // full or forbidden: the page works without
  }
}
