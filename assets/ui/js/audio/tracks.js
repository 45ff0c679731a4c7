/** Playable audio: complete takes and clips, loaded and decoded once, and takes that are still being generated. */
import { getBytes } from "../core/server.js";

/** @import { Buffering } from "./buffering.js" */
/** @typedef {{buffer: AudioBuffer, at: number}} Piece  `at`: its first sample in the track */

const KEPT = 24;
/** @type {Map<string, Promise<Track>>} */
const kept = new Map();
/** @type {Map<number, AudioContext>} */
const contexts = new Map();

/**
 * Return the audio context of a sample rate. Each rate has its own context, so that only the browser's output
 * resamples.
 * @param {number} rate
 */
export function contextAt(rate) {
  const context = contexts.get(rate) ?? new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
  contexts.set(rate, context);
  return context;
}

/**
 * Allow playback. Browsers start audio only after a user action, so call this in its event handler.
 * @param {number} rate
 */
export function unlock(rate) {
  const context = contextAt(rate);
  if (context.state === "suspended") context.resume();
}

export class Track {
  /** @param {number} rate  Hz */
  constructor(rate) {
    this.rate = rate;
    /** @type {Piece[]} */ this.pieces = [];
    this.length = 0; // samples
    this.ended = true;
    /** @type {(piece: Piece) => void} */ this.onpiece = () => {};
    this.onend = () => {};
  }

  get duration() {
    return this.length / this.rate;
  }

  /** @param {AudioBuffer} buffer */
  add(buffer) {
    const piece = { buffer, at: this.length };
    this.pieces.push(piece);
    this.length += buffer.length;
    return piece;
  }

  /**
   * Return the seconds to wait before playback from `_from_s` can reach the end without interruption; 0: start now.
   * @param {number} _from_s
   */
  wait_s(_from_s) {
    return 0;
  }

  /** Called when all audio so far was played, and more will follow. */
  ranDry() {}
}

/** A take that is being generated: pieces are added at its end. */
export class GrowingTrack extends Track {
  /** @param {number} rate @param {Buffering} buffering */
  constructor(rate, buffering) {
    super(rate);
    this.buffering = buffering;
    this.ended = false;
  }

  /** @param {Float32Array<ArrayBuffer>} samples */
  push(samples) {
    const buffer = contextAt(this.rate).createBuffer(1, samples.length, this.rate);
    buffer.copyToChannel(samples, 0);
    const piece = this.add(buffer);
    this.buffering.received(this.duration);
    this.onpiece(piece);
  }

  /** @param {number} from_s @override */
  wait_s(from_s) {
    return this.ended ? 0 : this.buffering.wait_s(this.duration - from_s);
  }

  /** @override */
  ranDry() {
    this.buffering.dry += 1;
  }

  end() {
    this.ended = true;
    this.onend();
  }
}

/**
 * Return the file at `path` as a track of `rate` Hz. A cache keeps the most recently used tracks. Throws Refusal.
 * @param {string} path @param {number} rate
 */
export async function load(path, rate) {
  const key = `${rate} ${path}`;
  const found = kept.get(key) ?? fetched(path, rate);
  kept.delete(key);
  kept.set(key, found);
  const [oldest] = kept.keys();
  if (kept.size > KEPT) kept.delete(oldest);
  try {
    return await found;
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

/** @param {string} path @param {number} rate */
async function fetched(path, rate) {
  const buffer = await contextAt(rate).decodeAudioData(await getBytes(path));
  const track = new Track(buffer.sampleRate);
  track.add(buffer);
  return track;
}

/** Return all samples of a track that has ended. @param {Track} track */
export function samplesOf(track) {
  const all = new Float32Array(track.length);
  for (const { buffer, at } of track.pieces) all.set(buffer.getChannelData(0), at);
  return all;
}
