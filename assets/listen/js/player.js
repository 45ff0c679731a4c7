/**
 * Plays the sounds of a trial in step. All sounds run from the same sample, and one is audible, so a switch in
 * place is exact.
 */
import { clamp } from "./dom.js";
import { cut } from "./sounds.js";

/** @import { Track } from "./sounds.js" */
/** @import { Region } from "./types.d.ts" */

const LEAD_S = 0.03; // between the press and the first sample
const FADE_S = 0.008; // on a switch and on pause, which prevents clicks
const COUNTED_EVERY_MS = 100;
const LEAP_S = 1.5; // a longer step between two measurements does not count: the computer slept
export const SHORTEST_S = 0.2; // of a region

/** @type {AudioContext | null} */
let context = null;

/** Return the audio context. Call `resume` on it in a user action, because browsers start no sound without one. */
export function audio() {
  context ??= new AudioContext({ latencyHint: "interactive" });
  return context;
}

export class Player {
  /** @param {Track[]} tracks @param {{onchange: () => void}} options */
  constructor(tracks, { onchange }) {
    this.tracks = tracks;
    this.onchange = onchange;
    this.context = audio();
    this.duration = Math.max(SHORTEST_S, ...tracks.map(({ buffer }) => buffer.duration));
    /** @type {Region} */ this.region = { from_s: 0, to_s: this.duration };
    this.audible = tracks[0].name;
    this.loop = true;
    this.rest_s = 0; // position while nothing plays
    this.zero = 0; // context time at which the start of the region is or would be played
    this.counted = 0; // context time up to which listening was measured
    /** @type {Map<string, GainNode> | null} */ this.gains = null;
    /** @type {AudioBufferSourceNode[]} */ this.sources = [];
    /** @type {Record<string, number>} */
    this.heard_s = Object.fromEntries(tracks.map(({ name }) => [name, 0]));
    this.timer = setInterval(() => this.#count(), COUNTED_EVERY_MS);
  }

  get playing() {
    return this.gains !== null;
  }

  get position() {
    if (!this.playing) return this.rest_s;
    const { from_s, to_s } = this.region;
    const passed = Math.max(0, this.context.currentTime - this.zero);
    const length = to_s - from_s;
    return from_s + (this.loop ? passed % length : Math.min(passed, length));
  }

  /** Play a sound from a position. @param {string} name @param {number} from_s */
  play(name, from_s) {
    this.#silence();
    this.audible = name;
    if (this.context.state !== "running") this.context.resume();
    const { region, loop } = this;
    const skip = from_s >= region.to_s ? 0 : clamp(from_s - region.from_s, 0, region.to_s - region.from_s);
    const start = this.context.currentTime + LEAD_S;
    this.zero = start - skip;
    this.counted = start;
    this.gains = new Map(this.tracks.map((track) => [track.name, this.#channel(track, { start, skip, loop })]));
    this.onchange();
  }

  /** @param {Track} track @param {{start: number, skip: number, loop: boolean}} times */
  #channel({ name, buffer }, { start, skip, loop }) {
    const gain = new GainNode(this.context, { gain: name === this.audible ? 1 : 0 });
    gain.connect(this.context.destination);
    const source = new AudioBufferSourceNode(this.context, { buffer: cut(this.context, buffer, this.region), loop });
    source.connect(gain);
    source.start(start, skip);
    source.onended = () => this.sources.includes(source) && this.stop();
    this.sources.push(source);
    return gain;
  }

  /** Make another sound audible at the present position. @param {string} name */
  switchTo(name) {
    this.#count();
    this.audible = name;
    for (const [other, { gain }] of this.gains ?? [])
      gain.setTargetAtTime(other === name ? 1 : 0, this.context.currentTime, FADE_S / 3);
    this.onchange();
  }

  pause() {
    const at = this.position;
    this.#silence();
    this.rest_s = at;
    this.onchange();
  }

  /** Stop, and return to the start of the region. */
  stop() {
    this.#silence();
    this.rest_s = this.region.from_s;
    this.onchange();
  }

  /** Move to a position inside the region. @param {number} at_s */
  seek(at_s) {
    const at = clamp(at_s, this.region.from_s, this.region.to_s - 0.01);
    if (this.playing) this.play(this.audible, at);
    else this.rest_s = at;
    this.onchange();
  }

  /** @param {Region} region @param {boolean} loop */
  change(region, loop) {
    const at = this.position;
    const was = this.playing;
    this.#silence();
    this.region = region;
    this.loop = loop;
    this.rest_s = at >= region.from_s && at < region.to_s ? at : region.from_s;
    if (was) this.play(this.audible, this.rest_s);
    else this.onchange();
  }

  /** Add the time since the last measurement to the audible sound. */
  #count() {
    if (!this.playing) return;
    const now = this.context.currentTime;
    const passed = now - this.counted;
    if (passed <= 0) return;
    this.counted = now;
    const track = this.tracks.find(({ name }) => name === this.audible);
    if (!track || passed > LEAP_S || this.position > track.end_s) return;
    this.heard_s[track.name] += passed;
    this.onchange();
  }

  #silence() {
    this.#count();
    const { gains, sources } = this;
    this.gains = null;
    this.sources = [];
    for (const { gain } of gains?.values() ?? []) gain.setTargetAtTime(0, this.context.currentTime, FADE_S / 3);
    const leave = () => {
      for (const source of sources) source.disconnect();
      for (const node of gains?.values() ?? []) node.disconnect();
    };
    if (gains) setTimeout(leave, 60);
  }

  /** End playback and measurement for good. */
  close() {
    this.#silence();
    clearInterval(this.timer);
  }
}
