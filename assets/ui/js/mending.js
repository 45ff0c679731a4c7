/** What the studio does to a reference when asked: mend the clip, or listen for its words. */
import { during } from "./busy.js";
import { addMine } from "./clips.js";
import * as fields from "./fields.js";
import { post } from "./server.js";
import { setVoice, state } from "./state.js";
import { toast } from "./toast.js";
import * as transcripts from "./transcripts.js";
import { sentence } from "./words.js";

export const MENDS = {
  trim: { verb: "Trim", done: "The silence is trimmed." },
  normalise: { verb: "Normalise", done: "The level is normalised." },
  mono: { verb: "Use one channel", done: "The loudest channel is used." },
  high_pass: { verb: "High-pass", done: "The rumble is taken out." },
  denoise: { verb: "Denoise", done: "The noise is lowered." },
};

/** One click of the report card: a new clip takes the old one's place; the old one stays and can come back. */
export async function mend(name) {
  const before = { ...state.voice };
  const words = fields.text("transcript");
  const put = (voice) => {
    setVoice(voice);
    fields.write("transcript", words);
  };
  await telling("Mending", async () => {
    const { clip, start_s, end_s } = before;
    const better = await post(`/studio/clips/${clip.id}/mend`, { name, start_s, end_s });
    addMine(better);
    put({ clip: better, ...(name === "trim" ? whole(better) : carried(before, better)) });
    toast(MENDS[name].done, { action: "Undo", onaction: () => put(before) });
  });
}

function whole({ duration_s }) {
  return { start_s: 0, end_s: duration_s };
}

/** All mends but trimming leave the window where it was, and what is said in the clip as it is. */
function carried({ clip, start_s, end_s }, better) {
  const words = transcripts.wholeOf(clip);
  if (words) transcripts.keep(better, whole(better), words);
  return { start_s, end_s: Math.min(end_s, better.duration_s) };
}

/** Let the recogniser fill in the transcript of the part. Rough: the designer reads and corrects it. */
export async function transcribe() {
  const { clip, start_s, end_s } = state.voice;
  await telling("Listening for words", async () => {
    const { transcript } = await post(`/studio/clips/${clip.id}/transcribe`, { start_s, end_s });
    if (!transcript) throw new Error("no words were recognised; type what you hear");
    fields.write("transcript", transcript);
    toast("This transcript is rough. Listen, and correct every word.");
  });
  fields.focus("transcript");
}

async function telling(words, work) {
  try {
    await during(words, work);
  } catch (error) {
    toast(sentence(error.message), { failed: true });
  }
}
