/** Names the voice and the line of a take on the page. */
import { designWords, titled } from "../core/format.js";
import { currentOf, state } from "../core/state.js";

/**
 * Return the champion, the description of a designed voice ("Female, low, moderate"), or the clip if the studio still has
 * it; empty if unknown.
 * @param {Order} order
 */
export function voiceOf({ champion, clip_id, design }) {
  if (design) return titled(designWords(design));
  if (champion) return currentOf(champion)?.title ?? champion;
  const clip = [...state.samples, ...state.mine].find(({ id }) => id === clip_id);
  return clip ? titled(clip.name) : "";
}

/** Return the names of the voices of a take, in the order in which they speak. @param {Take} take */
export function voicesOf({ order, segments }) {
  return speakersOf((voice) => nameOf(voice, order), segments);
}

/**
 * Return the names of the voices of the parts of a take, or of its only voice.
 * @param {(voice: string) => string} nameOf  an empty voice is the voice of the text @param {Segment[]} [segments]
 */
export function speakersOf(nameOf, segments = []) {
  const voices = segments.length ? segments.map(({ voice }) => voice) : [""];
  return [...new Set(voices.map(nameOf))].join(", ");
}

/** Return the name of a voice that a text names; empty is the voice of its order. @param {string} voice @param {Order} order */
export function nameOf(voice, order) {
  return voice ? (currentOf(voice)?.title ?? titled(voice)) : voiceOf(order);
}

/** Return the text of an order, or “Your recording” if the words of its recording are not known. @param {Order} order */
export function lineOf({ text, performance }) {
  return text || (performance ? "Your recording" : "");
}
