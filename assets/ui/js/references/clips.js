/** The clips: samples, the user's own clips, and the clip part that is the voice. */
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
import { recogniseNew } from "./recognition.js";
import * as transcripts from "./transcripts.js";

const EVERY_MS = 2500;

export async function loadClips() {
  const { samples, mine, recogniser } = state;
  const told = await get("/studio/clips");
  if (state.mine !== mine || JSON.stringify({ ...told, samples, mine, recogniser }) === JSON.stringify(told)) return;
  Object.assign(state, told);
  changed(STATE.clips);
}

/** Poll the clips, because another tab may add or delete some. */
export function watchClips() {
  poll({ needed: () => page() === "speak", every: () => EVERY_MS, look: loadClips });
}

/** Add a new clip to the user's clips. @param {Clip} clip */
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
 * Use a clip as the voice: the last selected part, or its best one, with the known transcript.
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
 * Select another part. Its transcript is the text typed for this part, else the matching words of the whole clip's
 * transcript, else unchanged.
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
    transcripts.propose(words); // until the matching words arrive
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
  record({ words: "update transcript", back }, "Transcript updated for the selected part.");
}

/** Fill in the transcript that was typed for the part; return false if there is none. @param {Voice} voice */
function fillTyped(voice) {
  const words = transcripts.typedFor(voice.clip, voice);
  if (words !== null) fields.write("transcript", words);
  return words !== null;
}

const soon = debounced(120, cutWords);

/** Fill in the words that are probably spoken in the part, if the transcript of the whole clip is known. */
async function cutWords() {
  const { voice } = state;
  const whole = voice && transcripts.wholeOf(voice.clip);
  if (!whole) return;
  const words = isWhole(voice) ? whole : await wordsOf(voice, whole);
  if (words !== undefined && voice === state.voice && !transcripts.isTyped()) transcripts.propose(words);
}

/**
 * @param {Voice} voice
 * @param {string} transcript  transcript of the whole clip
 * @returns {Promise<string | undefined>}
 */
function wordsOf({ clip, start_s, end_s }, transcript) {
  const path = `/studio/clips/${clip.id}/transcript`;
  return attempt(async () => (await post(path, { start_s, end_s, transcript })).transcript);
}

/** @param {Voice} voice */
function isWhole({ clip, start_s, end_s }) {
  return start_s <= 0.001 && end_s >= clip.duration_s - 0.001;
}

/** Delete the clip of the voice; this can be undone. The next own clip or the first sample becomes the voice. */
export async function discardClip() {
  const clip = state.voice?.clip;
  if (!clip) return;
  const place = state.mine.findIndex((one) => one.id === clip.id);
  await attempt(async () => {
    await remove(`/studio/clips/${clip.id}`);
    setMine(state.mine.toSpliced(place, 1));
    const next = state.mine[Math.min(place, state.mine.length - 1)] ?? state.samples[0];
    if (next) await useClip(next);
    toastDeletion("Clip deleted.", { words: `delete ${clip.name}`, back: () => bringBack(clip, place) });
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
 * Upload a file or a recording and use it as the voice.
 * @param {Blob} file @param {string} name @param {string} words  its transcript, if known
 */
export async function bringClip(file, name = file instanceof File ? file.name : "", words = "") {
  try {
    await during(`Loading ${name}`, () => becomeVoice(file, name, words));
    recogniseNew();
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
  await restored; // otherwise the restored voice would replace it
  addMine(clip);
  if (words) transcripts.keep(clip, { start_s: 0, end_s: clip.duration_s }, words);
  await useClip(clip);
  const next = state.recogniser && !words ? "Transcribing." : "Check the transcript.";
  announce(`Voice: ${clip.name}. ${next}`);
  fields.focus("transcript");
}
