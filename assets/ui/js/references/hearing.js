/** The recogniser listens to a part: it fills in an empty transcript, and the report says where it hears other words. */
import { emit } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import * as fields from "../core/fields.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { toast } from "../core/toast.js";
import { during } from "./activity.js";

const ROUGH = "Automatic transcript. Listen and correct the words.";

/** Have the recogniser listen to the voice. Returns its words; empty where it hears none. @param {Voice} voice */
export function hear({ clip, start_s, end_s }) {
  return during("Transcribing", async () => {
    /** @type {{transcript: string}} */
    const { transcript } = await post(`/studio/clips/${clip.id}/transcribe`, { start_s, end_s });
    emit(EVENT.heard, null);
    return transcript;
  });
}

/** Put the words of the recogniser into the field. @param {string} words */
export function write(words) {
  fields.write("transcript", words);
  toast(ROUGH);
}

/** Listen to a clip that has just come in. What is typed meanwhile stays, and another voice is left alone. */
export async function hearNew() {
  const { voice, recogniser } = state;
  if (!voice || !recogniser) return;
  const words = await hear(voice).catch(() => ""); // nobody asked for it: the Transcribe button says what hinders it
  if (words && voice === state.voice && !fields.text("transcript").trim()) write(words);
}
