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

/** Return the text of an order, or “Your recording” if the words of its recording are not known. @param {Order} order */
export function lineOf({ text, performance }) {
  return text || (performance ? "Your recording" : "");
}
