/**
 * Speech recognition of the selected part. It fills in an empty transcript, and the report then shows differing words.
 */
import { emit } from "../core/bus.js";
import { EVENT } from "../core/events.js";
import * as fields from "../core/fields.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { toast } from "../core/toast.js";
import { during, TRANSCRIBING } from "./activity.js";
import { offer } from "./doubts.js";
import { isTyped } from "./transcripts.js";

/** @typedef {{transcript: string, words: HeardWord[]}} Heard */

const ROUGH = "Automatic transcript. Listen and correct the words.";
const KEPT = "Your transcript is kept. Speech recognition heard:";

let written = ""; // the latest automatic transcript; it may be replaced if the user has not changed it

/** Transcribe the voice. The transcript is empty if no words are recognised. @param {Voice} voice */
export function recognise({ clip, start_s, end_s }) {
  return during(TRANSCRIBING, async () => {
    /** @type {Heard} */
    const heard = await post(`/studio/clips/${clip.id}/transcribe`, { start_s, end_s });
    emit(EVENT.heard, null);
    return heard;
  });
}

/** Write the recognised words into the field. @param {Heard} heard */
function write({ transcript, words }) {
  written = transcript;
  fields.write("transcript", transcript);
  toast(ROUGH);
  offer(words);
}

/** Write the words into the field; if the user has typed there, offer to replace the text. @param {Heard} heard */
export function writeOrOffer(heard) {
  const now = fields.text("transcript");
  if (!isTyped() || now === written || now === heard.transcript) return write(heard);
  const replace = () => {
    if (fields.text("transcript") === now) write(heard);
  };
  const holds = () => fields.text("transcript") === now;
  toast(`${KEPT} “${heard.transcript}”`, { action: "Replace transcript", onaction: replace, stays: true, holds });
}

/** Transcribe a new clip. The result is dropped if the user has typed a transcript or changed the voice. */
export async function recogniseNew() {
  const { voice, recogniser } = state;
  if (!voice || !recogniser) return;
  // No message, because the user did not ask for it. The Transcribe button reports the error.
  const heard = await recognise(voice).catch(() => null);
  if (heard?.transcript && voice === state.voice && !fields.text("transcript").trim()) write(heard);
}
