/** The voices for scripts: champions and samples. */
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { titled } from "../core/format.js";
import { get } from "../core/server.js";
import { currentOf, state } from "../core/state.js";

export const CLIP = "clip: "; // prefix of the name of a clip that is used as a voice
/** @type {NamedVoice[]} */
let known = [];

export function voices() {
  return known;
}

/** Load the voices. Throws Refusal. */
export async function loadVoices() {
  known = await get("/studio/voices");
  changed(STATE.view); // because the view shows names of voices
}

/** Return true if the id names a clip. @param {string} id */
export function isClip(id) {
  return id.startsWith(CLIP);
}

/** Return the name of a voice. @param {string} id */
export function voiceName(id) {
  return known.find((voice) => voice.id === id)?.name ?? (isClip(id) ? id.slice(CLIP.length) : titled(id));
}

/** Return the route of a voice's reference audio; empty if the studio does not have the voice. @param {string} id */
export function referenceOf(id) {
  const kind = known.find((voice) => voice.id === id)?.kind;
  if (kind === "champion") return `/studio/champions/${id}/reference.wav?version=${currentOf(id)?.version ?? ""}`;
  const sample = kind && state.samples.find(({ name }) => name === id);
  return sample ? `/studio/clips/${sample.id}/audio.wav` : "";
}

follow(STATE.champions, () => known.length && state.champions.length && loadVoices().catch(() => {}));
