/** Whom a script may name: champions and samples. */
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { titled } from "../core/format.js";
import { get } from "../core/server.js";
import { currentOf, state } from "../core/state.js";

export const CLIP = "clip: "; // begins the name of a clip that speaks
/** @type {NamedVoice[]} */
let known = [];

export function voices() {
  return known;
}

/** Throws Refusal. */
export async function loadVoices() {
  known = await get("/studio/voices");
  changed(STATE.view); // names
}

/** Whether this is the name of a clip that speaks. @param {string} id */
export function isClip(id) {
  return id.startsWith(CLIP);
}

/** How a voice is called. @param {string} id */
export function voiceName(id) {
  return known.find((voice) => voice.id === id)?.name ?? (isClip(id) ? id.slice(CLIP.length) : titled(id));
}

/** Where what a voice was cloned from can be heard; empty where it is not here. @param {string} id */
export function referenceOf(id) {
  const kind = known.find((voice) => voice.id === id)?.kind;
  if (kind === "champion") return `/studio/champions/${id}/reference.wav?version=${currentOf(id)?.version ?? ""}`;
  const sample = kind && state.samples.find(({ name }) => name === id);
  return sample ? `/studio/clips/${sample.id}/audio.wav` : "";
}

follow(STATE.champions, () => known.length && state.champions.length && loadVoices().catch(() => {}));
