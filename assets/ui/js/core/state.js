/**
 * The shared state of the page: voice, champions, takes, and the take that is being generated. The setters announce
 * changes on the bus.
 */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import * as fields from "./fields.js";
import { get } from "./server.js";

export const NO_CLIP = { clip_id: "", start_s: 0, end_s: 0, transcript: "" };

export const state = {
  /** @type {Voice | null} */ voice: null,
  /** @type {Champion | null} */ champion: null, // the chosen champion; it speaks instead of `voice`
  /** @type {Champion[]} */ champions: [],
  /** @type {Clip[]} */ samples: [],
  /** @type {Clip[]} */ mine: [],
  /** @type {string | null} */ recogniser: null, // name of the speech recogniser, if there is one
  /** @type {Take[]} */ takes: [],
  /** @type {string | null} */ selected: null, // id of a take
  language: "", // BCP 47 tag of the text; empty: detect
  /** @type {Synthesis | null} */ synthesis: null, // see speak/synthesis.js
  /** @type {Telemetry | null} */ telemetry: null, // the latest status of the studio
  /** @type {Record<string, string>} */ titles: {}, // titles of engines, kept while the studio does not answer
  told_ms: 0, // time at which `telemetry` was received
  lost: false, // whether the studio stopped answering
};

/** @type {() => void} */
let resolveRestored;

/**
 * Resolves when the page has restored its last state. Requests that may change this state wait for it.
 */
export const restored = new Promise((resolve) => {
  resolveRestored = () => resolve(undefined);
});

export function setRestored() {
  resolveRestored();
}

/** Return the status of an engine; null if the studio does not run it or has not answered yet. @param {string} name */
export function engineOf(name) {
  return state.telemetry?.engines.find((one) => one.name === name) ?? null;
}

/** Return the engine that supports fine-tuned weights; null if there is none. */
export function tunedEngine() {
  return state.telemetry?.engines.find((one) => one.fine_tunes) ?? null;
}

/** Return the engine that speaks a recording in another voice; null if there is none. */
export function convertingEngine() {
  return state.telemetry?.engines.find((one) => one.converts) ?? null;
}

/** Return the engine that designs voices from a description; null if there is none. */
export function designingEngine() {
  return state.telemetry?.engines.find((one) => one.designs) ?? null;
}

/** Describe how the other engines treat fine-tuned weights; empty if there are no other engines. */
export function withoutWeights() {
  const titles = (state.telemetry?.engines ?? []).filter((one) => !one.fine_tunes).map((one) => one.title);
  return titles.map((title) => `With ${title}, the voice is cloned from the reference instead.`).join(" ");
}

/**
 * Return the title of an engine; its name if the studio does not run it or has not answered yet.
 * @param {string} name
 */
export function titleOf(name) {
  return state.titles[name] ?? name;
}

/** Return why an engine cannot speak; empty if it can, or its status is unknown. @param {string} name */
export function unavailable(name) {
  const engine = engineOf(name);
  return engine?.state === "failed" ? `${engine.title} is not available: ${engine.message}` : "";
}

/**
 * Return the names of the settings that an engine uses; all settings while its status is unknown.
 * @param {string} engine
 */
function settingsUsedBy(engine) {
  const limits = engineOf(engine)?.settings;
  return limits ? Object.keys(limits) : fields.SETTINGS;
}

/**
 * Return the order for the current input and an engine, by default the chosen one. Settings that the engine does not
 * use are null.
 * @returns {Order}
 */
export function order(engine = fields.engine()) {
  const used = settingsUsedBy(engine);
  const others = fields.SETTINGS.filter((name) => !used.includes(name));
  return {
    ...draft(),
    ...(state.champion && NO_CLIP),
    engine,
    ...Object.fromEntries(others.map((name) => [name, null])),
  };
}

/** Return all current input as an order, including the clip while a champion is chosen. @returns {Order} */
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
    language: state.language,
  };
}

/** Choose the language of the text; an empty tag detects the language. @param {string} tag */
export function setLanguage(tag) {
  if (state.language === tag) return;
  state.language = tag;
  changed(STATE.language);
}

/** Choose a part of a clip as the voice. @param {Voice} voice */
export function setVoice(voice) {
  state.voice = voice;
  setChampion(null);
  changed(STATE.voice);
}

/** Choose a champion as the voice; null returns to the part of a clip. @param {Champion | null} champion */
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

/** Return the current version of a champion; null if this page does not know it. @param {string} id */
export function currentOf(id) {
  return state.champions.find((one) => one.id === id) ?? null;
}

/** Return true if this is the newest known version of the champion. @param {Champion} champion */
export function isCurrent({ id, version }) {
  return (currentOf(id)?.version ?? version) === version;
}

/**
 * Return a version of a champion, by default the current one. Throws Refusal.
 * @param {string} id @returns {Promise<Champion>}
 */
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

/** Return the take with this id, which the page must have. @param {string} id */
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

/** Return a clip. Throws Refusal. @param {string} id @returns {Promise<Clip>} */
export async function clipOf(id) {
  return [...state.samples, ...state.mine].find((clip) => clip.id === id) ?? get(`/studio/clips/${id}`);
}

/**
 * Restore the input of an order: script, champion or clip, part, transcript, and the named settings. For an order
 * with a design, the chosen voice stays, and the seed of the voice is not taken for other lines. Throws Refusal.
 * @param {Order} order
 */
export async function restore(order, settings = settingsUsedBy(order.engine)) {
  const clip = order.clip_id ? await clipOf(order.clip_id) : null;
  const champion = order.champion ? await championOf(order.champion, order.version) : null;
  fields.write("script", order.text);
  setLanguage(order.language ?? "");
  fields.chooseEngine(order.engine);
  for (const name of [...(order.design ? [] : ["seed"]), ...settings]) fields.write(name, order[name]);
  if (clip) {
    setVoice({ clip, start_s: order.start_s, end_s: order.end_s });
    fields.write("transcript", order.transcript);
  }
  if (!order.design) setChampion(champion);
}
