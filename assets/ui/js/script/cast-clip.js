/** Voices from clips instead of champions: uploads of this browser, each with the transcript of its part. */
import { field } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { state } from "../core/state.js";
import { partOf, typedFor } from "../references/transcripts.js";
import { CLIP, isClip, voiceName } from "./voices.js";

const HINT = "Type exactly what is said in this part of the clip.";

/** @param {string} now  the chosen voice @returns {string[][]} */
export function clipOptions(now) {
  const mine = state.mine.map(({ name }) => CLIP + name);
  const names = [...new Set(isClip(now) ? [...mine, now] : mine)];
  return names.map((name) => [name, `${voiceName(name)} (clip)`]);
}

/**
 * Return the clip part of a casting; nothing if the voice is not a clip.
 * @param {string} voice @returns {Partial<Casting>}
 */
export function clipPart(voice) {
  const clip = isClip(voice) && state.mine.find(({ name }) => CLIP + name === voice);
  if (!clip) return {};
  const part = partOf(clip);
  return { clip: { clip_id: clip.id, ...part, transcript: typedFor(clip, part) ?? "" } };
}

/**
 * Return a transcript field for the clip. If the transcript is unknown, the recogniser fills it in.
 * @param {Casting} casting @param {string} whose @param {(next: Casting) => void} put
 */
export function clipWords(casting, whose, put) {
  const clip = /** @type {CastClip} */ (casting.clip);
  const words = h("textarea", { rows: 2, "aria-label": `Transcript ${whose}` });
  words.value = clip.transcript;
  words.addEventListener("change", () => put({ ...casting, clip: { ...clip, transcript: words.value } }));
  if (!clip.transcript && state.recogniser) recognise(clip, words);
  return h("div.cast-clip", {}, field("Transcript", words, HINT));
}

/**
 * Fill in the recognised words, unless the user types in the meantime.
 * @param {CastClip} clip @param {HTMLTextAreaElement} words
 */
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
