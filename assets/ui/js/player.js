/**
 * The page's one player. It plays one programme at a time: a take, a clip, a performance that still grows, or two takes
 * side by side between which one switches without a gap. Everything is scheduled on the sample grid of one context.
 */
import { changed } from "./bus.js";
import { clamp } from "./dom.js";
import { contextAt } from "./tracks.js";

const LEAD_S = 0.03; // between the press and the first sample
const FADE_S = 0.008; // on pause and switch, so that nothing clicks
const EARLY = 1e-4; // of a sample: rounding must not push a piece to the next one
const SOON_S = 0.005; // what is to sound earlier than that would come too late

let programme = null;
const positions = new Map(); // key -> seconds, where each key was left

class Programme {
  /** @param {{key: string, track: object}[]} voices  @param {number} from_s */
  constructor(voices, from_s, heard) {
    this.voices = voices;
    this.context = contextAt(voices[0].track.rate);
    this.rate = this.context.sampleRate;
    this.offset = Math.round(from_s * this.rate);
    this.zero = 0; // context frame at which sample 0 would sound
    this.waits = true; // at `offset`, until what is there lasts to the end
    this.heard = heard;
    this.sources = new Set();
    for (const voice of voices) this.#connect(voice);
  }

  #connect(voice) {
    voice.gain = new GainNode(this.context, { gain: this.#gain(voice) });
    voice.gain.connect(this.context.destination);
  }

  #gain(voice) {
    return voice.key === this.heard ? (voice.level ?? 1) : 0;
  }

  async start() {
    if (this.context.state !== "running") await this.context.resume();
    if (this.stopped) return;
    for (const { track } of this.voices) {
      track.onpiece = (piece) => this.#came(piece);
      track.onend = () => this.goOn();
    }
    this.goOn();
  }

  /** Sound, or sound again, once what is there lasts to the end. */
  goOn() {
    if (!this.waits || this.stopped || this.context.state !== "running" || this.wait_s > 0) return;
    this.waits = false;
    this.zero = Math.ceil((this.context.currentTime + LEAD_S) * this.rate) - this.offset;
    for (const voice of this.voices) voice.track.pieces.forEach((piece) => this.#schedule(voice, piece));
    changed("player");
  }

  get wait_s() {
    return Math.max(...this.voices.map(({ track }) => track.wait_s(this.offset / this.rate)));
  }

  #came(piece) {
    if (!this.waits && this.zero + piece.at < (this.context.currentTime + SOON_S) * this.rate) this.#runDry(piece.at);
    if (this.waits) this.goOn();
    else this.#schedule(this.voices[0], piece);
  }

  /** All that was made has sounded, but there will be more: better one pause than many. */
  #runDry(at) {
    this.offset = at;
    this.waits = true;
    this.voices[0].track.arrival.dry += 1; // only a performance can, and it plays alone
    changed("player");
  }

  #schedule(voice, { buffer, at }) {
    const skip = Math.max(0, this.offset - at);
    if (skip >= buffer.length) return;
    const source = new AudioBufferSourceNode(this.context, { buffer });
    source.connect(voice.gain);
    source.start((this.zero + at + skip - EARLY) / this.rate, skip / this.rate);
    this.sources.add(source);
    source.onended = () => this.#ended(source);
  }

  #ended(source) {
    this.sources.delete(source);
    const { track } = this.voices[0];
    if (!this.sources.size && !track.ended && !this.waits && !this.stopped) this.#runDry(track.length);
  }

  get longest() {
    return Math.max(...this.voices.map((voice) => voice.track.duration));
  }

  get position() {
    const played = this.waits ? 0 : this.context.currentTime - (this.zero + this.offset) / this.rate;
    return clamp(this.offset / this.rate + Math.max(0, played), 0, this.longest);
  }

  get over() {
    return this.voices.every((voice) => voice.track.ended) && this.position >= this.longest;
  }

  /** Another of its voices, or the same at other levels. */
  hear(key, levels = {}) {
    this.heard = key;
    for (const voice of this.voices) {
      voice.level = levels[voice.key] ?? voice.level;
      voice.gain.gain.setTargetAtTime(this.#gain(voice), this.context.currentTime, FADE_S / 3);
    }
  }

  stop() {
    this.stopped = true;
    const now = this.context.currentTime;
    for (const voice of this.voices) {
      voice.track.onpiece = voice.track.onend = () => {};
      voice.gain.gain.setTargetAtTime(0, now, FADE_S / 3);
    }
    const leave = () => {
      this.sources.forEach((source) => source.disconnect());
      this.voices.forEach((voice) => voice.gain.disconnect());
    };
    setTimeout(leave, 60);
  }
}

function begin(voices, from_s, heard) {
  stop();
  programme = new Programme(voices, from_s, heard);
  programme.start();
  changed("player");
  requestAnimationFrame(watch);
}

/** Tells everyone where the playhead is, once a frame, until the end. */
function watch() {
  if (!programme) return;
  for (const { key } of programme.voices) positions.set(key, programme.position);
  programme.goOn();
  if (!programme.over) {
    changed("playhead");
    requestAnimationFrame(watch);
    return;
  }
  const ended = programme;
  programme = null;
  for (const { key } of ended.voices) positions.delete(key);
  changed("player");
}

/** Play a track from where it was left, or from `from_s`. */
export function play(key, track, from_s = positions.get(key) ?? 0) {
  begin([{ key, track }], from_s, key);
}

/**
 * Play two tracks of one rate together and hear the one with key `heard`.
 * @param {{key: string, track: object, level?: number}[]} voices
 */
export function playPair(voices, heard, from_s = 0) {
  begin(voices, from_s, heard);
}

/** Hear the other track of a pair, in the same instant; `levels` by key are amplitudes. */
export function hear(key, levels) {
  if (isPlaying(key)) programme.hear(key, levels);
}

export function stop() {
  if (!programme) return;
  for (const { key } of programme.voices) positions.set(key, programme.position);
  programme.stop();
  programme = null;
  changed("player");
}

export function isPlaying(key) {
  return Boolean(programme?.voices.some((voice) => voice.key === key));
}

/** What sounds: a key, or null. */
export function playing() {
  return programme?.heard ?? null;
}

/** Seconds until a growing performance can be heard without a hole; 0 while it sounds. */
export function waitOf(key) {
  return isPlaying(key) && programme.waits ? programme.wait_s : 0;
}

/** Seconds from the start, also while it does not play. */
export function positionOf(key) {
  return isPlaying(key) ? programme.position : (positions.get(key) ?? 0);
}

/** Move the playhead; what plays goes on from there. */
export function seek(key, at_s) {
  positions.set(key, at_s);
  if (isPlaying(key))
    begin(
      programme.voices.map(({ key, track, level }) => ({ key, track, level })),
      at_s,
      programme.heard,
    );
  else changed("playhead");
}

/** What plays under one key goes on under another: a performance has become a take. */
export function rename(from, to) {
  programme?.voices.filter((voice) => voice.key === from).forEach((voice) => (voice.key = to));
  if (programme?.heard === from) programme.heard = to;
  if (positions.has(from)) positions.set(to, positions.get(from));
  positions.delete(from);
  changed("player");
}
