/** Clips: the ones that ship, the ones this browser brought, and the part of one that is the voice. */
import { changed, emit } from "../core/bus.js";
import { toastDeletion } from "../core/disk.js";
import { announce } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { attempt } from "../core/login.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post, postFile, reason, remove } from "../core/server.js";
import { clipOf, restored, setVoice, state } from "../core/state.js";
import { debounced } from "../core/timing.js";
import { toast } from "../core/toast.js";
import { record } from "../core/undo.js";
import { during } from "./activity.js";
import { hearNew } from "./hearing.js";
import * as transcripts from "./transcripts.js";

const EVERY_MS = 2500;

export async function loadClips() {
  const { samples, mine, recogniser } = state;
  const told = await get("/studio/clips");
  if (state.mine !== mine || JSON.stringify({ ...told, samples, mine, recogniser }) === JSON.stringify(told)) return;
  Object.assign(state, told);
  changed(STATE.clips);
}

/** Another tab may have brought or deleted some. */
export function watchClips() {
  poll({ needed: () => page() === "speak", every: () => EVERY_MS, look: loadClips });
}

/** Add a clip that was brought or made to the list. @param {Clip} clip */
export function addMine(clip) {
  setMine([clip, ...state.mine.filter((other) => other.id !== clip.id)]);
}

/** @param {Clip[]} clips */
function setMine(clips) {
  state.mine = clips;
  changed(STATE.clips);
}

/** @param {string} id */
export async function chooseClip(id) {
  await attempt(async () => useClip(await clipOf(id)));
}

/**
 * Make a clip the voice: the part it was left at, or its best one, with what is known to be said in it.
 * @param {Clip} clip
 */
export async function useClip(clip) {
  const voice = { clip, ...transcripts.partOf(clip) };
  setVoice(voice);
  if (!fillTyped(voice)) {
    transcripts.propose("");
    await cutWords();
  }
}

/**
 * Select another part. Words typed for it come back, else they are cut from the whole clip's, else they stay.
 * @param {number} start_s @param {number} end_s
 */
export function moveWindow(start_s, end_s) {
  const before = state.voice;
  if (!before) return;
  const [words, typed] = [fields.text("transcript"), transcripts.isTyped()];
  const voice = { clip: before.clip, start_s, end_s };
  setVoice(voice);
  if (fillTyped(voice)) return;
  if (transcripts.wholeOf(before.clip)) {
    if (typed && !isWhole(before)) offerBack(before, words);
    transcripts.propose(words); // until they are cut
    soon();
  } else if (words) {
    toast("Selected part changed. Correct the transcript to match the selected part exactly.");
  }
}

/** @param {Voice} before @param {string} words */
function offerBack(before, words) {
  const back = () => {
    setVoice(before);
    fields.write("transcript", words);
  };
  const step = { words: "transcript update", back };
  record(step, "Transcript updated for the selected part.");
}

/** Bring back what was typed for the part; false where nothing was. @param {Voice} voice */
function fillTyped(voice) {
  const words = transcripts.typedFor(voice.clip, voice);
  if (words !== null) fields.write("transcript", words);
  return words !== null;
}

const soon = debounced(120, cutWords);

/** Fill in the words most likely said within the part, where the whole clip's are known. */
async function cutWords() {
  const { voice } = state;
  const whole = voice && transcripts.wholeOf(voice.clip);
  if (!whole) return;
  const words = isWhole(voice) ? whole : await wordsOf(voice, whole);
  if (words !== undefined && voice === state.voice && !transcripts.isTyped()) transcripts.propose(words);
}

/** @param {Voice} voice @param {string} transcript  of the whole clip @returns {Promise<string | undefined>} */
function wordsOf({ clip, start_s, end_s }, transcript) {
  const path = `/studio/clips/${clip.id}/transcript`;
  return attempt(async () => (await post(path, { start_s, end_s, transcript })).transcript);
}

/** @param {Voice} voice */
function isWhole({ clip, start_s, end_s }) {
  return start_s <= 0.001 && end_s >= clip.duration_s - 0.001;
}

/** Delete the voice's clip, with a way back; the next one of one's own or the first sample takes its place. */
export async function discardClip() {
  const clip = state.voice?.clip;
  if (!clip) return;
  const place = state.mine.findIndex((one) => one.id === clip.id);
  await attempt(async () => {
    await remove(`/studio/clips/${clip.id}`);
    setMine(state.mine.toSpliced(place, 1));
    const next = state.mine[Math.min(place, state.mine.length - 1)] ?? state.samples[0];
    if (next) await useClip(next);
    toastDeletion("Clip deleted.", { words: `deletion of “${clip.name}”`, back: () => bringBack(clip, place) });
  });
}

/** @param {Clip} clip @param {number} place */
async function bringBack({ id }, place) {
  await attempt(async () => {
    const clip = await post(`/studio/clips/${id}/restore`);
    setMine(state.mine.toSpliced(place, 0, clip));
    await useClip(clip);
  });
}

/**
 * Upload a file or a recording and speak with it from now on.
 * @param {Blob} file @param {string} name @param {string} words  what is said in it, where that is known
 */
export async function bringClip(file, name = file instanceof File ? file.name : "", words = "") {
  try {
    await during(`Loading ${name}`, () => becomeVoice(file, name, words));
    hearNew();
  } catch (error) {
    const onaction = () => emit(EVENT.chooseClip, null);
    toast(`“${name}” cannot be used. ${reason(error)}`, {
      ...{ failed: true, action: "Choose another file", onaction, until: STATE.voice },
    });
  }
}

/** @param {Blob} file @param {string} name @param {string} words */
async function becomeVoice(file, name, words) {
  const clip = await postFile("/studio/clips", file, name);
  await restored; // else the voice of last time would take its place
  addMine(clip);
  if (words) transcripts.keep(clip, { start_s: 0, end_s: clip.duration_s }, words);
  await useClip(clip);
  const next = state.recogniser && !words ? "Transcribing." : "Check the transcript.";
  announce(`Voice: ${clip.name}. ${next}`);
  fields.focus("transcript");
}
