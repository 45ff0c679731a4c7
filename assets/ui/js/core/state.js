/**
 * What the page knows: the voice, the champions, the takes, the one being made. Modules read it here and follow it by
 * bus.
 */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import * as fields from "./fields.js";
import { get } from "./server.js";

const NO_CLIP = { clip_id: "", start_s: 0, end_s: 0, transcript: "" };

export const state = {
  /** @type {Voice | null} */ voice: null,
  /** @type {Champion | null} */ champion: null, // who speaks instead of the voice, which waits meanwhile
  /** @type {Champion[]} */ champions: [],
  /** @type {Clip[]} */ samples: [],
  /** @type {Clip[]} */ mine: [],
  /** @type {string | null} */ recogniser: null, // the name of what can transcribe, if anything can
  /** @type {Take[]} */ takes: [],
  /** @type {string | null} */ selected: null, // id of a take
  /** @type {Synthesis | null} */ synthesis: null, // see speak/synthesis.js
  /** @type {Telemetry | null} */ telemetry: null, // what the studio told last
  lost: false, // the studio tells nothing any more
};

/** @type {() => void} */
let resolveRestored;

/**
 * Resolves once what was left here last time is on the page: what is asked for earlier waits, so that it comes after.
 */
export const restored = new Promise((resolve) => {
  resolveRestored = () => resolve(undefined);
});

export function setRestored() {
  resolveRestored();
}

/** What the studio tells of an engine; null before it told anything. @param {string} name */
export function engineOf(name) {
  return state.telemetry?.engines.find((one) => one.name === name) ?? null;
}

/** How an engine is called; its name where the studio does not run it, or told nothing yet. @param {string} name */
export function titleOf(name) {
  return engineOf(name)?.title ?? name;
}

/** Why an engine cannot speak; empty where it can, or nobody knows. @param {string} name */
export function unavailable(name) {
  const engine = engineOf(name);
  return engine?.state === "failed" ? `${engine.title} is not available: ${engine.message}` : "";
}

/** Names of the settings that an engine heeds; all of them while nobody told which. @param {string} engine */
function heededBy(engine) {
  const limits = engineOf(engine)?.settings;
  return limits ? Object.keys(limits) : fields.SETTINGS;
}

/**
 * The order on screen, as the chosen engine or another one would speak it now: without settings it does not heed.
 * @returns {Order}
 */
export function order(engine = fields.engine()) {
  const heeded = heededBy(engine);
  const others = fields.SETTINGS.filter((name) => !heeded.includes(name));
  return {
    ...draft(),
    ...(state.champion && NO_CLIP),
    engine,
    ...Object.fromEntries(others.map((name) => [name, null])),
  };
}

/** Everything on screen as it stands, whichever engine heeds it and whoever speaks. @returns {Order} */
export function draft() {
  const { voice, champion } = state;
  return {
    text: fields.text("script"),
    clip_id: voice?.clip.id ?? "",
    start_s: voice?.start_s ?? 0,
    end_s: voice?.end_s ?? 0,
    transcript: fields.text("transcript"),
    engine: fields.engine(),
    ...fields.numbers(),
    champion: champion?.id ?? "",
    version: champion && !isCurrent(champion) ? champion.version : "",
  };
}

/** A part of a clip speaks from now on. @param {Voice} voice */
export function setVoice(voice) {
  state.voice = voice;
  setChampion(null);
  changed(STATE.voice);
}

/** A champion speaks from now on; with null, the voice that waited. @param {Champion | null} champion */
export function setChampion(champion) {
  if (state.champion === champion) return;
  state.champion = champion;
  changed(STATE.champion);
}

/** @param {Champion[]} champions */
export function setChampions(champions) {
  state.champions = champions;
  changed(STATE.champions);
}

/** The current version of a champion, where this page knows it. @param {string} id */
export function currentOf(id) {
  return state.champions.find((one) => one.id === id) ?? null;
}

/** Whether nobody saved a newer version of it. @param {Champion} champion */
export function isCurrent({ id, version }) {
  return (currentOf(id)?.version ?? version) === version;
}

/** A champion of this version or the current one. Throws Refusal. @param {string} id @returns {Promise<Champion>} */
export async function championOf(id, version = "") {
  const current = currentOf(id);
  if (current && (!version || current.version === version)) return current;
  return get(`/studio/champions/${id}${version && `?version=${version}`}`);
}

/** @param {Take[]} takes */
export function setTakes(takes) {
  state.takes = takes;
  changed(STATE.takes);
}

/** One that the page has. @param {string} id */
export function takeOf(id) {
  return /** @type {Take} */ (state.takes.find((take) => take.id === id));
}

/** @param {string | null} id */
export function select(id) {
  state.selected = id;
  changed(STATE.selected);
}

/** @param {Synthesis | null} synthesis */
export function setSynthesis(synthesis) {
  state.synthesis = synthesis;
  changed(STATE.synthesis);
}

/** Throws Refusal. @param {string} id @returns {Promise<Clip>} */
export async function clipOf(id) {
  return [...state.samples, ...state.mine].find((clip) => clip.id === id) ?? get(`/studio/clips/${id}`);
}

/**
 * Bring back what an order holds: script, champion or clip, window, transcript, and those settings. Throws Refusal.
 * @param {Order} order
 */
export async function restore(order, settings = heededBy(order.engine)) {
  const clip = order.clip_id ? await clipOf(order.clip_id) : null;
  const champion = order.champion ? await championOf(order.champion, order.version) : null;
  fields.write("script", order.text);
  fields.chooseEngine(order.engine);
  for (const name of ["seed", ...settings]) fields.write(name, order[name]);
  if (clip) {
    setVoice({ clip, start_s: order.start_s, end_s: order.end_s });
    fields.write("transcript", order.transcript);
  }
  setChampion(champion);
}
