/** Sound that can be played: whole takes and clips, fetched and decoded once, and performances that still grow. */
import { bytesOf } from "./server.js";

const KEPT = 24;
const kept = new Map();
const contexts = new Map();

/** One audio context per sample rate, so that nothing is resampled before the browser's own output. */
export function contextAt(rate) {
  if (!contexts.has(rate)) contexts.set(rate, new AudioContext({ sampleRate: rate, latencyHint: "interactive" }));
  return contexts.get(rate);
}

/** Browsers let sound start only from a press; call this inside one. */
export function unlock(rate) {
  const context = contextAt(rate);
  if (context.state === "suspended") context.resume();
}

/** A performance being made: pieces are added at its end. */
export class Growing {
  /** @param {import("./arrival.js").Arrival|null} arrival  foretells when the rest will be there */
  constructor(rate, arrival = null) {
    this.rate = rate;
    this.arrival = arrival;
    this.pieces = [];
    this.length = 0; // samples
    this.ended = false;
    this.onpiece = () => {};
    this.onend = () => {};
  }

  get duration() {
    return this.length / this.rate;
  }

  /** @param {Float32Array} samples */
  push(samples) {
    const buffer = contextAt(this.rate).createBuffer(1, samples.length, this.rate);
    buffer.copyToChannel(samples, 0);
    const piece = { buffer, at: this.length };
    this.pieces.push(piece);
    this.length += samples.length;
    this.arrival.came(this.duration);
    this.onpiece(piece);
  }

  /** Seconds until it can be heard from here to its end without a hole; 0: now. */
  wait_s(from_s) {
    return this.ended ? 0 : this.arrival.wait_s(this.duration - from_s);
  }

  end() {
    this.ended = true;
    this.onend();
  }
}

/** A decoded file, in the shape of a performance that has ended. */
class Whole extends Growing {
  constructor(buffer) {
    super(buffer.sampleRate);
    this.pieces = [{ buffer, at: 0 }];
    this.length = buffer.length;
    this.ended = true;
  }
}

/** The file at `path` as a track of `rate` Hz; the least recently used ones are forgotten. Throws Refusal. */
export async function load(path, rate) {
  const key = `${rate} ${path}`;
  const found = kept.get(key) ?? fetched(path, rate);
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  try {
    return await found;
  } catch (error) {
    kept.delete(key);
    throw error;
  }
}

async function fetched(path, rate) {
  return new Whole(await contextAt(rate).decodeAudioData(await bytesOf(path)));
}

/** All samples of a track that has ended. */
export function samplesOf(track) {
  const all = new Float32Array(track.length);
  for (const { buffer, at } of track.pieces) all.set(buffer.getChannelData(0), at);
  return all;
}
