/** Clips: the ones that ship, the ones this browser brought, and the part of one that is the voice. */
import { changed, emit } from "./bus.js";
import { during } from "./busy.js";
import { announce, debounced } from "./dom.js";
import * as fields from "./fields.js";
import { get, post, remove, send } from "./server.js";
import { begun, clipOf, setVoice, state } from "./state.js";
import { toast } from "./toast.js";
import * as transcripts from "./transcripts.js";

export async function loadClips() {
  Object.assign(state, await get("/studio/clips"));
  changed("clips");
}

/** Add a clip that was brought or made to the list. */
export function addMine(clip) {
  state.mine = [clip, ...state.mine.filter((other) => other.id !== clip.id)];
  changed("clips");
}

/** Choose a clip by its id. */
export async function chooseClip(id) {
  await telling(async () => useClip(await clipOf(id)));
}

/** Make a clip the voice: the part it was left at, or its best one, with what is known to be said in it. */
export async function useClip(clip) {
  setVoice({ clip, ...transcripts.partOf(clip) });
  if (!fillTyped()) {
    transcripts.propose("");
    await cutWords();
  }
}

/** Select another part. Words typed for it come back, else they are cut from the whole clip's, else they stay. */
export function moveWindow(start_s, end_s) {
  const before = { ...state.voice };
  const [words, typed] = [fields.text("transcript"), transcripts.isTyped()];
  setVoice({ clip: before.clip, start_s, end_s });
  if (fillTyped()) return;
  if (transcripts.wholeOf(before.clip)) {
    if (typed && !isWhole(before)) offerBack(before, words);
    transcripts.propose(words); // until they are cut
    soon();
  } else if (words) {
    toast("The selected part moved. Correct the transcript: it must be exactly what is said in it.");
  }
}

function offerBack(before, words) {
  const onaction = () => {
    setVoice(before);
    fields.write("transcript", words);
  };
  toast("The transcript was cut anew for the selected part.", { action: "Undo", onaction });
}

/** Bring back what was typed for the part; false where nothing was. */
function fillTyped() {
  const words = transcripts.typedFor(state.voice.clip, state.voice);
  if (words !== null) fields.write("transcript", words);
  return words !== null;
}

const soon = debounced(120, () => cutWords());

/** Fill in the words most likely said within the part, where the whole clip's are known. */
async function cutWords() {
  const { voice } = state;
  const whole = transcripts.wholeOf(voice.clip);
  if (!whole) return;
  const words = isWhole(voice) ? whole : await wordsOf(voice, whole);
  if (words !== null && voice === state.voice && !transcripts.isTyped()) transcripts.propose(words);
}

async function wordsOf({ clip, start_s, end_s }, transcript) {
  try {
    return (await post(`/studio/clips/${clip.id}/transcript`, { start_s, end_s, transcript })).transcript;
  } catch (error) {
    toast(error.message, { failed: true });
    return null;
  }
}

function isWhole({ clip, start_s, end_s }) {
  return start_s <= 0.001 && end_s >= clip.duration_s - 0.001;
}

/** Delete the voice's clip, with a way back; the next one of one's own or the first sample takes its place. */
export async function discardClip() {
  const before = state.voice;
  const place = state.mine.findIndex((clip) => clip.id === before.clip.id);
  await telling(async () => {
    await remove(`/studio/clips/${before.clip.id}`);
    state.mine = state.mine.toSpliced(place, 1);
    changed("clips");
    const next = state.mine[Math.min(place, state.mine.length - 1)] ?? state.samples[0];
    if (next) await useClip(next);
    toast("Clip deleted.", { action: "Undo", onaction: () => bringBack(before.clip, place) });
  });
}

async function bringBack({ id }, place) {
  await telling(async () => {
    const clip = await post(`/studio/clips/${id}/restore`);
    state.mine = state.mine.toSpliced(place, 0, clip);
    changed("clips");
    await useClip(clip);
  });
}

async function telling(work) {
  try {
    await work();
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

/** Upload a file (or a recording) and speak with it from now on. */
export async function takeIn(file, name = file.name) {
  try {
    await during(`Reading ${name}`, () => becomeVoice(file, name));
  } catch (error) {
    toast(`“${name}” cannot be used. ${error.message}`, {
      failed: true,
      action: "Choose another",
      onaction: () => emit("choose-clip"),
    });
  }
}

async function becomeVoice(file, name) {
  const clip = await send("/studio/clips", file, name);
  await begun; // else the voice of last time would take its place
  addMine(clip);
  await useClip(clip);
  announce(`${clip.name} is the voice now. Type what is said in the selected part.`);
  fields.focus("transcript");
}
