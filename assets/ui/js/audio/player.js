/**
 * The audio player of the page. It plays one programme at a time: a take, a clip, an unfinished take, or two takes in
 * parallel with gapless switching. All audio is scheduled on the sample grid of one audio context.
 */
import { changed, emit } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import { clamp } from "../core/math.js";
import { contextAt } from "./tracks.js";

/** @import { Piece, Track } from "./tracks.js" */
/** @typedef {{key: string, track: Track, level?: number}} Part  `level` is an amplitude */
/** @typedef {Part & {gain: GainNode}} Channel */

const LEAD_S = 0.03; // between the click and the first sample
const FADE_S = 0.008; // fade on pause and switch, which prevents clicks
const EARLY = 1e-4; // in samples: keeps rounding from delaying a piece by one sample
const SOON_S = 0.005; // a piece that is due in less than this cannot be scheduled in time

/** @type {Programme | null} */
let programme = null;
/** The last position of each key, in seconds. @type {Map<string, number>} */
const positions = new Map();

class Programme {
  /** @param {Part[]} parts @param {number} from_s @param {string} heard */
  constructor(parts, from_s, heard) {
    this.context = contextAt(parts[0].track.rate);
    this.rate = this.context.sampleRate;
    this.offset = Math.round(from_s * this.rate);
    this.zero = 0; // context frame at which sample 0 is or would be played
    this.waits = true; // true while playback waits at `offset` for enough audio
    this.stopped = false;
    this.heard = heard;
    /** @type {Set<AudioBufferSourceNode>} */ this.sources = new Set();
    this.channels = parts.map((part) => this.#connected(part));
  }

  /** @param {Part} part @returns {Channel} */
  #connected(part) {
    const gain = new GainNode(this.context, { gain: this.#gain(part) });
    gain.connect(this.context.destination);
    return { ...part, gain };
  }

  /** @param {Part} part */
  #gain({ key, level = 1 }) {
    return key === this.heard ? level : 0;
  }

  async start() {
    if (this.context.state !== "running") await this.context.resume();
    if (this.stopped) return;
    for (const { track } of this.channels) {
      track.onpiece = (piece) => this.#received(piece);
      track.onend = () => this.resume();
    }
    this.resume();
  }

  /** Start or continue playback as soon as the received audio lasts to the end. */
  resume() {
    if (!this.waits || this.stopped || this.context.state !== "running" || this.wait_s > 0) return;
    this.waits = false;
    this.zero = Math.ceil((this.context.currentTime + LEAD_S) * this.rate) - this.offset;
    for (const channel of this.channels) for (const piece of channel.track.pieces) this.#schedule(channel, piece);
    changed(STATE.player);
  }

  get wait_s() {
    return Math.max(...this.channels.map(({ track }) => track.wait_s(this.offset / this.rate)));
  }

  /** @param {Piece} piece */
  #received(piece) {
    if (!this.waits && this.zero + piece.at < (this.context.currentTime + SOON_S) * this.rate) this.#runDry(piece.at);
    if (this.waits) this.resume();
    else this.#schedule(this.channels[0], piece);
  }

  /** Pause to wait for more audio, because one long pause is better than many short ones. @param {number} at */
  #runDry(at) {
    this.offset = at;
    this.waits = true;
    this.channels[0].track.ranDry(); // only a growing track can run out of audio, and it always plays alone
    changed(STATE.player);
  }

  /** @param {Channel} channel @param {Piece} piece */
  #schedule(channel, { buffer, at }) {
    const skip = Math.max(0, this.offset - at);
    if (skip >= buffer.length) return;
    const source = new AudioBufferSourceNode(this.context, { buffer });
    source.connect(channel.gain);
    source.start((this.zero + at + skip - EARLY) / this.rate, skip / this.rate);
    this.sources.add(source);
    source.onended = () => this.#ended(source);
  }

  /** @param {AudioBufferSourceNode} source */
  #ended(source) {
    this.sources.delete(source);
    const { track } = this.channels[0];
    if (!this.sources.size && !track.ended && !this.waits && !this.stopped) this.#runDry(track.length);
  }

  get longest() {
    return Math.max(...this.channels.map(({ track }) => track.duration));
  }

  get position() {
    const played = this.waits ? 0 : this.context.currentTime - (this.zero + this.offset) / this.rate;
    return clamp(this.offset / this.rate + Math.max(0, played), 0, this.longest);
  }

  get over() {
    return this.channels.every(({ track }) => track.ended) && this.position >= this.longest;
  }

  /**
   * Switch to another track of the programme, or change the levels of its tracks.
   * @param {string} key @param {Record<string, number>} levels
   */
  switchTo(key, levels = {}) {
    this.heard = key;
    for (const channel of this.channels) {
      channel.level = levels[channel.key] ?? channel.level;
      channel.gain.gain.setTargetAtTime(this.#gain(channel), this.context.currentTime, FADE_S / 3);
    }
  }

  stop() {
    this.stopped = true;
    for (const { track, gain } of this.channels) {
      track.onpiece = () => {};
      track.onend = () => {};
      gain.gain.setTargetAtTime(0, this.context.currentTime, FADE_S / 3);
    }
    const leave = () => {
      for (const source of this.sources) source.disconnect();
      for (const { gain } of this.channels) gain.disconnect();
    };
    setTimeout(leave, 60);
  }
}

/** @param {Part[]} parts @param {number} from_s @param {string} heard */
function begin(parts, from_s, heard) {
  stop();
  programme = new Programme(parts, from_s, heard);
  programme.start();
  changed(STATE.player);
  requestAnimationFrame(watch);
}

/** Announce the playback position in every animation frame, until the end. */
function watch() {
  if (!programme) return;
  keepPosition(programme);
  programme.resume();
  if (!programme.over) {
    changed(STATE.playhead);
    requestAnimationFrame(watch);
    return;
  }
  const ended = programme;
  programme = null;
  for (const { key } of ended.channels) positions.delete(key);
  emit(EVENT.soundEnded, ended.heard);
  changed(STATE.player);
}

/** @param {Programme} playing */
function keepPosition({ channels, position }) {
  for (const { key } of channels) positions.set(key, position);
}

/** Play a track from its last position, or from `from_s`. @param {string} key @param {Track} track */
export function play(key, track, from_s = positions.get(key) ?? 0) {
  begin([{ key, track }], from_s, key);
}

/**
 * Play two tracks with the same sample rate together; only the track with the key `heard` is audible.
 * @param {Part[]} parts @param {string} heard
 */
export function playPair(parts, heard, from_s = 0) {
  begin(parts, from_s, heard);
}

/**
 * Switch to the other track of a pair without a gap.
 * @param {string} key @param {Record<string, number>} [levels]  by key
 */
export function switchTo(key, levels) {
  if (isPlaying(key)) programme?.switchTo(key, levels);
}

export function stop() {
  if (!programme) return;
  keepPosition(programme);
  programme.stop();
  programme = null;
  changed(STATE.player);
}

/** @param {string | null} key */
export function isPlaying(key) {
  return Boolean(programme?.channels.some((channel) => channel.key === key));
}

/** Return the key of the audible track, or null. */
export function playing() {
  return programme?.heard ?? null;
}

/**
 * Return the seconds until a growing take can be played without interruption; 0 during playback.
 * @param {string | null} key
 */
export function waitOf(key) {
  return programme?.waits && isPlaying(key) ? programme.wait_s : 0;
}

/** Return the position of a track in seconds, whether it plays or not. @param {string | null} key */
export function positionOf(key) {
  return programme && isPlaying(key) ? programme.position : (positions.get(key ?? "") ?? 0);
}

/** Move the playhead; playback continues from there. @param {string} key @param {number} at_s */
export function seek(key, at_s) {
  positions.set(key, at_s);
  if (!programme || !isPlaying(key)) return changed(STATE.playhead);
  const parts = programme.channels.map(({ key, track, level }) => ({ key, track, level }));
  return begin(parts, at_s, programme.heard);
}

/**
 * Change the key of a track that may be playing: a finished generation gets the id of its take.
 * @param {string} from @param {string} to
 */
export function rename(from, to) {
  for (const channel of programme?.channels ?? []) if (channel.key === from) channel.key = to;
  if (programme?.heard === from) programme.heard = to;
  const position = positions.get(from);
  if (position !== undefined) positions.set(to, position);
  positions.delete(from);
  changed(STATE.player);
}
