/** Whom a script may name: champions and samples. */
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { titled } from "../core/format.js";
import { get } from "../core/server.js";
import { state } from "../core/state.js";

/** @type {NamedVoice[]} */
let known = [];

export function voices() {
  return known;
}

/** Throws Refusal. */
export async function loadVoices() {
  known = (await get("/v1/voices")).data;
  changed(STATE.view); // names
}

/** How a voice is called. @param {string} id */
export function voiceName(id) {
  return known.find((voice) => voice.id === id)?.name ?? titled(id);
}

follow(STATE.champions, () => known.length && state.champions.length && loadVoices().catch(() => {}));
