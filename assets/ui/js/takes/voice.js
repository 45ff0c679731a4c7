/** How the page calls the voice of a take. */
import { titled } from "../core/format.js";
import { currentOf, state } from "../core/state.js";

/** The champion, or the clip while the studio has it; empty where nobody knows. @param {Order} order */
export function voiceOf({ champion, clip_id }) {
  if (champion) return currentOf(champion)?.title ?? champion;
  const clip = [...state.samples, ...state.mine].find(({ id }) => id === clip_id);
  return clip ? titled(clip.name) : "";
}
