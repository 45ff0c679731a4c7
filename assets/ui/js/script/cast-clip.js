/** Clips that speak without being champions: uploads of this browser, each with the words that are said in it. */
import { field } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { partOf, typedFor } from "../references/transcripts.js";
import { CLIP, isClip, voiceName } from "./voices.js";

const HINT = "Type exactly what is said in this part of the clip.";

/** @param {string} now  the voice that is chosen @returns {string[][]} */
export function clipOptions(now) {
  const mine = state.mine.map(({ name }) => CLIP + name);
  const names = [...new Set(isClip(now) ? [...mine, now] : mine)];
  return names.map((name) => [name, `${voiceName(name)} (clip)`]);
}

/** The part of a clip that speaks; nothing where another voice was chosen. @param {string} voice @returns {Partial<Casting>} */
export function clipPart(voice) {
  const clip = isClip(voice) && state.mine.find(({ name }) => CLIP + name === voice);
  if (!clip) return {};
  const part = partOf(clip);
  return { clip: { clip_id: clip.id, ...part, transcript: typedFor(clip, part) ?? "" } };
}

/** What is said in the clip: known, recognised, or typed. @param {Casting} casting @param {string} whose @param {(next: Casting) => void} put */
export function clipWords(casting, whose, put) {
  const clip = /** @type {CastClip} */ (casting.clip);
  const words = h("textarea", { rows: 2, "aria-label": `Transcript ${whose}` });
  words.value = clip.transcript;
  words.addEventListener("change", () => put({ ...casting, clip: { ...clip, transcript: words.value } }));
  if (!clip.transcript && state.recogniser) recognise(clip, words);
  return h("div.cast-clip", {}, field("Transcript", words, HINT));
}

/** Fill in what the recogniser hears, unless somebody types meanwhile. @param {CastClip} clip @param {HTMLTextAreaElement} words */
function recognise({ clip_id, start_s, end_s }, words) {
  words.placeholder = "Transcribing…";
  return attempt(async () => {
    const { transcript } = await post(`/studio/clips/${clip_id}/transcribe`, { start_s, end_s });
    words.placeholder = "";
    if (words.value) return;
    words.value = transcript;
    words.dispatchEvent(new Event("change"));
  });
}
