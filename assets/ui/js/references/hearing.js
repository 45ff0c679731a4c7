/** The recogniser listens to a part: it fills in an empty transcript, and the report says where it hears other words. */
import { emit } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import * as fields from "../core/fields.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { toast } from "../core/toast.js";
import { during } from "./activity.js";
import { offer } from "./doubts.js";
import { isTyped } from "./transcripts.js";

/** @typedef {{transcript: string, words: HeardWord[]}} Heard */

const ROUGH = "Automatic transcript. Listen and correct the words.";
const KEPT = "Your transcript is kept. Speech recognition heard:";

let written = ""; // the newest automatic transcript, which may be replaced while nobody has changed it

/** Have the recogniser listen to the voice. Its transcript is empty where it hears no words. @param {Voice} voice */
export function hear({ clip, start_s, end_s }) {
  return during("Transcribing", async () => {
    /** @type {Heard} */
    const heard = await post(`/studio/clips/${clip.id}/transcribe`, { start_s, end_s });
    emit(EVENT.heard, null);
    return heard;
  });
}

/** Put the words of the recogniser into the field. @param {Heard} heard */
function write({ transcript, words }) {
  written = transcript;
  fields.write("transcript", transcript);
  toast(ROUGH);
  offer(words);
}

/** Put the words into the field unless somebody typed there; then offer to replace what was typed. @param {Heard} heard */
export function writeOrOffer(heard) {
  const now = fields.text("transcript");
  if (!isTyped() || now === written || now === heard.transcript) return write(heard);
  const replace = () => {
    if (fields.text("transcript") === now) write(heard);
  };
  toast(`${KEPT} “${heard.transcript}”`, { action: "Replace transcript", onaction: replace, stays: true });
}

/** Listen to a clip that has just come in. What is typed meanwhile stays, and another voice is left alone. */
export async function hearNew() {
  const { voice, recogniser } = state;
  if (!voice || !recogniser) return;
  const heard = await hear(voice).catch(() => null); // nobody asked for it: the Transcribe button says what hinders it
  if (heard?.transcript && voice === state.voice && !fields.text("transcript").trim()) write(heard);
}
