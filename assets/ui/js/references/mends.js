/** What the studio does to a reference when asked: mend the clip, or listen for its words. */
import * as fields from "../core/fields.js";
import { attempt } from "../core/login.js";
import { post, Refusal } from "../core/server.js";
import { setVoice, state } from "../core/state.js";
import { record } from "../core/undo.js";
import { during } from "./activity.js";
import { addMine } from "./clips.js";
import { hear, writeOrOffer } from "./hearing.js";
import * as transcripts from "./transcripts.js";

/** @type {Record<MendName, {verb: string, done: string}>} */
export const MENDS = {
  trim: { verb: "Trim silence", done: "Silence trimmed." },
  normalise: { verb: "Normalise level", done: "Level normalised." },
  mono: { verb: "Use loudest channel", done: "Loudest channel used." },
  high_pass: { verb: "Apply high-pass", done: "Rumble removed." },
  denoise: { verb: "Reduce noise", done: "Noise reduced." },
};

/**
 * One click of the report: a new clip takes the old one's place; the old one stays and can come back.
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
      record({ words: `“${MENDS[name].verb}”`, back: () => put(before) }, MENDS[name].done);
    }),
  );
}

/** @param {Clip} clip @returns {Part} */
function whole({ duration_s }) {
  return { start_s: 0, end_s: duration_s };
}

/**
 * All mends but trimming leave the window where it was, and what is said in the clip as it is.
 * @param {Voice} voice @param {Clip} better @returns {Part}
 */
function carried({ clip, start_s, end_s }, better) {
  const words = transcripts.wholeOf(clip);
  if (words) transcripts.keep(better, whole(better), words);
  return { start_s, end_s: Math.min(end_s, better.duration_s) };
}

/** Let the recogniser fill in the transcript of the part. The designer reads and corrects it. */
export async function transcribe() {
  const { voice } = state;
  if (!voice) return;
  await attempt(async () => {
    const heard = await hear(voice);
    if (!heard.transcript) throw new Refusal("no speech was recognised; type the words that you hear");
    if (voice === state.voice) writeOrOffer(heard);
  });
  fields.focus("transcript");
}
