/** Operations on a reference: repair the clip, or transcribe it. */
import * as fields from "../core/fields.js";
import { attempt } from "../core/login.js";
import { post, Refusal } from "../core/server.js";
import { setVoice, state } from "../core/state.js";
import { record } from "../core/undo.js";
import { during } from "./activity.js";
import { addMine } from "./clips.js";
import { recognise, writeOrOffer } from "./recognition.js";
import * as transcripts from "./transcripts.js";

/** @type {Record<MendName, {verb: string, undo: UndoLabel, done: string}>} */
export const MENDS = {
  trim: { verb: "Trim silence", undo: "trim silence", done: "Silence trimmed." },
  normalise: { verb: "Normalise level", undo: "normalise level", done: "Level normalised." },
  mono: { verb: "Use loudest channel", undo: "use loudest channel", done: "Loudest channel used." },
  high_pass: { verb: "Apply high-pass filter", undo: "apply high-pass filter", done: "Rumble removed." },
  denoise: { verb: "Reduce noise", undo: "reduce noise", done: "Noise reduced." },
};

/**
 * Repair the clip of the voice. A new clip replaces the old one, which is kept for Undo.
 * @param {MendName} name
 */
export async function mend(name) {
  const before = state.voice;
  if (!before) return;
  const { clip, start_s, end_s } = before;
  const words = fields.text("transcript");
  const put = (/** @type {Voice} */ voice) => {
    setVoice(voice);
    fields.write("transcript", words);
  };
  await attempt(() =>
    during("Repairing", async () => {
      const better = await post(`/studio/clips/${clip.id}/mend`, { name, start_s, end_s });
      addMine(better);
      put({ clip: better, ...(name === "trim" ? whole(better) : carried(before, better)) });
      record({ words: MENDS[name].undo, back: () => put(before) }, MENDS[name].done);
    }),
  );
}

/** @param {Clip} clip @returns {Part} */
function whole({ duration_s }) {
  return { start_s: 0, end_s: duration_s };
}

/**
 * Return the same part in the repaired clip, and keep its transcript. This holds for all repairs except trimming.
 * @param {Voice} voice @param {Clip} better @returns {Part}
 */
function carried({ clip, start_s, end_s }, better) {
  const words = transcripts.wholeOf(clip);
  if (words) transcripts.keep(better, whole(better), words);
  return { start_s, end_s: Math.min(end_s, better.duration_s) };
}

/** Transcribe the part into the transcript field. The user checks and corrects the text. */
export async function transcribe() {
  const { voice } = state;
  if (!voice) return;
  await attempt(async () => {
    const heard = await recognise(voice);
    if (!heard.transcript) throw new Refusal("no speech was recognised; type the words that you hear");
    if (voice === state.voice) writeOrOffer(heard);
  });
  fields.focus("transcript");
}
