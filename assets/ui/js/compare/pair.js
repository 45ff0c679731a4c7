/** Both sides of a trial: fetched before they are needed, played together, one of them heard, and for how long. */
import { PeakMeter } from "../audio/peaks.js";
import * as player from "../audio/player.js";
import { load, samplesOf } from "../audio/tracks.js";
import { changed, emit, follow } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";

/** @import { Track } from "../audio/tracks.js" */

/** @type {Side[]} */
export const SIDES = ["a", "b"];
/** @type {Record<Side, Side>} */
export const OTHER = { a: "b", b: "a" };
const LEAP_S = 1; // between two looks: more is a seek, or a page nobody saw
const COLUMNS = 240; // of a side's waveform

/** @type {Pair | null} */
let current = null;
follow(STATE.playhead, () => current?.count());
follow(STATE.player, () => queueMicrotask(() => current?.repeat())); // after whatever begins next has begun

export class Pair {
  /** @param {Trial} trial */
  constructor(trial) {
    this.trial = trial;
    /** @type {Side} */ this.side = "a"; // the one that is heard
    this.heard_s = { a: 0, b: 0 };
    this.at = 0; // where it was at the last look
    this.begun = false;
    /** @type {Record<Side, Track> | null} */ this.tracks = null;
    this.ends_s = { a: 0, b: 0 };
    this.gone = false; // a take was deleted before it could be heard
    current = this;
  }

  /** Fetch and decode both, so that a press makes sound at once. Throws Refusal. */
  async fetch() {
    const { trial } = this;
    const [a, b] = await Promise.all(SIDES.map((side) => load(trial[side].sound, trial.sample_rate)));
    this.tracks = { a, b };
    this.ends_s = { a: end_s(a), b: end_s(b) };
    changed(STATE.pair);
    return this.tracks;
  }

  get duration() {
    return this.tracks ? Math.max(this.tracks.a.duration, this.tracks.b.duration) : 0;
  }

  get position() {
    return player.positionOf(this.#key("a"));
  }

  get playing() {
    return player.isPlaying(this.#key("a"));
  }

  /** Whether a side was heard long enough to be judged. @param {Side} side */
  wasHeard(side) {
    return this.heard_s[side] >= this.trial.must_hear_s;
  }

  get ready() {
    return SIDES.every((side) => this.wasHeard(side));
  }

  /** @param {Side} side */
  async hear(side) {
    this.side = side;
    if (this.playing) player.hear(this.#key(side));
    else await this.#play(this.position);
    changed(STATE.pair);
  }

  pause() {
    this.begun = false;
    if (this.playing) player.stop();
  }

  /** @param {number} at_s */
  seek(at_s) {
    this.at = at_s;
    player.seek(this.#key("a"), at_s); // one position for both
  }

  /** Of its waveform; none before it was fetched. @param {Side} side */
  peaks(side) {
    if (!this.tracks) return [];
    const track = this.tracks[side];
    const meter = new PeakMeter(Math.max(1, Math.ceil(track.length / COLUMNS)));
    meter.add(samplesOf(track));
    return meter.peaks;
  }

  /**
   * From the start again while it is judged, so that a switch never meets silence. Only the end forgets the position.
   */
  repeat() {
    const over = this.begun && !this.playing && !this.position;
    if (over && this.trial.stage === "open" && player.playing() === null) this.#play(0);
  }

  /** Add what passed since the last look to the side that was heard. */
  count() {
    if (!this.playing) return;
    const passed = this.position - this.at;
    this.at = this.position;
    if (passed <= 0 || passed > LEAP_S || this.position > this.ends_s[this.side]) return;
    const before = this.wasHeard(this.side);
    this.heard_s[this.side] += passed;
    if (this.wasHeard(this.side) === before) return;
    changed(STATE.pair);
    emit(EVENT.pairHeard, null);
  }

  /** @param {number} from_s */
  async #play(from_s) {
    const tracks = this.tracks ?? (await this.fetch());
    this.at = from_s;
    this.begun = true;
    const parts = SIDES.map((side) => ({ key: this.#key(side), track: tracks[side] }));
    player.playPair(parts, this.#key(this.side), from_s);
  }

  /** @param {Side} side */
  #key(side) {
    return this.trial[side].sound;
  }
}

/** Until the silence that makes both sides equally long: nobody hears a side there. @param {Track} track */
function end_s(track) {
  return (samplesOf(track).findLastIndex((sample) => sample !== 0) + 1) / track.rate;
}
