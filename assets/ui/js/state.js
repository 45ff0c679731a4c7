/** What the page knows: the voice, the champions, the takes, the one performance. Modules read it here and follow it by bus. */
import { changed } from "./bus.js";
import * as fields from "./fields.js";
import { get } from "./server.js";

/**
 * @typedef {object} Clip  as GET /studio/clips tells it
 * @property {string} id @property {string} name @property {number} duration_s @property {number[]} peaks
 * @property {{start_s: number, end_s: number}[]} windows  best first
 *
 * @typedef {object} Voice  a window of a clip; what is said in it stands in the transcript field
 * @property {Clip} clip @property {number} start_s @property {number} end_s
 *
 * @typedef {object} Champion  as GET /studio/champions tells it
 * @property {string} id @property {string} title @property {string} version @property {string} engine
 * @property {Object<string, number>} settings @property {number} duration_s @property {number[]} peaks
 */

export const state = {
  /** @type {Voice|null} */ voice: null,
  /** @type {Champion|null} */ champion: null, // who speaks instead of the voice, which waits meanwhile
  /** @type {Champion[]} */ champions: [],
  /** @type {Clip[]} */ samples: [],
  /** @type {Clip[]} */ mine: [],
  recogniser: null, // the name of what can transcribe, if anything can
  takes: [],
  selected: null, // id of a take
  performance: null, // see speak.js
  telemetry: null, // what the studio told last
  lost: false, // the studio tells nothing any more
};

let begin;

/** Resolves once what was left here last time is on the page: what is asked for earlier waits, so that it comes after. */
export const begun = new Promise((resolve) => (begin = resolve));

export function hasBegun() {
  begin();
}

/** What the studio tells of an engine; null before it told anything. */
export function engineOf(name) {
  return state.telemetry?.engines.find((one) => one.name === name) ?? null;
}

/** Why an engine cannot speak; empty where it can, or nobody knows. */
export function unavailable(name) {
  const engine = engineOf(name);
  return engine?.state === "failed" ? `${engine.title} is not available: ${engine.message}` : "";
}

/** Names of the settings that an engine heeds; all of them while nobody told which. */
function heededBy(engine) {
  const limits = engineOf(engine)?.settings;
  return limits ? Object.keys(limits) : fields.SETTINGS;
}

/** The order on screen, as the chosen engine or another one would speak it now: without settings it does not heed. */
export function order(engine = fields.engine()) {
  const heeded = heededBy(engine);
  const others = fields.SETTINGS.filter((name) => !heeded.includes(name));
  const voice = state.champion && { clip_id: "", start_s: 0, end_s: 0, transcript: "" };
  return { ...draft(), ...voice, engine, ...Object.fromEntries(others.map((name) => [name, null])) };
}

/** Everything on screen as it stands, whichever engine heeds it and whoever speaks. */
export function draft() {
  const { voice, champion } = state;
  return {
    text: fields.text("script"),
    clip_id: voice?.clip.id ?? "",
    start_s: voice?.start_s ?? 0,
    end_s: voice?.end_s ?? 0,
    transcript: fields.text("transcript"),
    engine: fields.engine(),
    seed: fields.number("seed"),
    ...Object.fromEntries(fields.SETTINGS.map((name) => [name, fields.number(name)])),
    champion: champion?.id ?? "",
    version: champion && !isCurrent(champion) ? champion.version : "",
  };
}

/** A part of a clip speaks from now on. */
export function setVoice(voice) {
  state.voice = voice;
  setChampion(null);
  changed("voice");
}

/** A champion speaks from now on; with null, the voice that waited. */
export function setChampion(champion) {
  if (state.champion === champion) return;
  state.champion = champion;
  changed("champion");
}

export function setChampions(champions) {
  state.champions = champions;
  changed("champions");
}

/** Whether nobody saved a newer version of it. */
export function isCurrent({ id, version }) {
  const current = state.champions.find((one) => one.id === id);
  return !current || current.version === version;
}

/** A champion by its id, of this version or the current one. Throws Refusal. */
export async function championOf(id, version = "") {
  const fits = (one) => one.id === id && (!version || one.version === version);
  return state.champions.find(fits) ?? get(`/studio/champions/${id}${version && `?version=${version}`}`);
}

export function setTakes(takes) {
  state.takes = takes;
  changed("takes");
}

export function takeOf(id) {
  return state.takes.find((take) => take.id === id) ?? null;
}

export function select(id) {
  state.selected = id;
  changed("selected");
}

export async function clipOf(id) {
  return [...state.samples, ...state.mine].find((clip) => clip.id === id) ?? get(`/studio/clips/${id}`);
}

/** Bring back what an order holds: script, champion or clip, window, transcript, and those settings. Throws Refusal. */
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
