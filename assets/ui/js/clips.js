/** Clips: the ones that ship, the ones this browser brought, and the words said in a part of one. */
import { emit } from "./bus.js";
import { announce, debounced } from "./dom.js";
import * as fields from "./fields.js";
import { get, post, send } from "./server.js";
import { clipOf, setVoice, state } from "./state.js";
import { toast } from "./toast.js";

let proposed = ""; // the words last cut for a part; what differs from them was typed

export async function loadClips() {
  const { samples, mine } = await get("/studio/clips");
  Object.assign(state, { samples, mine });
  emit("clips");
}

/** Add a clip that was brought or made to the list. */
export function addMine(clip) {
  state.mine = [clip, ...state.mine.filter((other) => other.id !== clip.id)];
  emit("clips");
}

/** Choose a clip by its id, with its best part. */
export async function chooseClip(id) {
  try {
    await useClip(await clipOf(id));
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

/** Make the best part of a clip the voice. */
export async function useClip(clip) {
  setVoice({ clip, ...clip.windows[0], full: clip.transcript ?? null });
  fields.write("transcript", "");
  await cutWords();
}

/** Select another part; words that are known are cut with it, words that are not must be corrected. */
export function moveWindow(start_s, end_s) {
  const before = { ...state.voice };
  const words = fields.text("transcript");
  const full = before.full ?? (isWhole(before) && words ? words : null);
  setVoice({ ...before, start_s, end_s, full });
  if (full) {
    if (words && words !== proposed && words !== full) offerBack(before, words);
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

const soon = debounced(120, () => cutWords());

/** Fill in the words most likely said within the part, where the whole clip's are known. */
async function cutWords() {
  const { voice } = state;
  if (!voice?.full) return;
  const words = isWhole(voice) ? voice.full : await wordsOf(voice);
  if (words === null || voice !== state.voice) return;
  proposed = words;
  fields.write("transcript", words);
}

async function wordsOf({ clip, start_s, end_s, full }) {
  try {
    return (await post(`/studio/clips/${clip.id}/transcript`, { start_s, end_s, transcript: full })).transcript;
  } catch (error) {
    toast(error.message, { failed: true });
    return null;
  }
}

function isWhole({ clip, start_s, end_s }) {
  return start_s <= 0.001 && end_s >= clip.duration_s - 0.001;
}

/** Upload a file (or a recording) and speak with it from now on. */
export async function takeIn(file, name = file.name) {
  emit("clip-busy", `Reading ${name}`);
  try {
    const clip = await send("/studio/clips", file, name);
    addMine(clip);
    await useClip(clip);
    announce(`${clip.name} is the voice now. Type what is said in the selected part.`);
    fields.input("transcript").focus();
  } catch (error) {
    toast(`“${name}” cannot be used. ${error.message}`, {
      failed: true,
      action: "Choose another",
      onaction: () => emit("choose-clip"),
    });
  } finally {
    emit("clip-busy", null);
  }
}
