/** Both sides of a trial. They play together, one of them is audible, and the listening time of each is measured. */
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
const LEAP_S = 1; // a longer step between two measurements is a seek, or a hidden page
const COLUMNS = 240; // bars of a side's waveform

/** @type {Pair | null} */
let current = null;
follow(STATE.playhead, () => current?.count());
follow(STATE.player, () => queueMicrotask(() => current?.repeat())); // after the start of the next sound, if any

export class Pair {
  /** @param {Trial} trial */
  constructor(trial) {
    this.trial = trial;
    /** @type {Side} */ this.side = "a"; // the audible side
    this.heard_s = { a: 0, b: 0 };
    this.at = 0; // position at the last measurement, in s
    this.begun = false;
    /** @type {Record<Side, Track> | null} */ this.tracks = null;
    this.ends_s = { a: 0, b: 0 };
    this.gone = false; // a take was deleted before it was loaded
    current = this;
  }

  /** Load and decode both takes, so that a click plays at once. Throws Refusal. */
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

  /** Return true if a side was played long enough for a vote. @param {Side} side */
  wasHeard(side) {
    return this.heard_s[side] >= this.trial.must_hear_s;
  }

  get ready() {
    return SIDES.every((side) => this.wasHeard(side));
  }

  /** @param {Side} side */
  async switchTo(side) {
    this.side = side;
    if (this.playing) player.switchTo(this.#key(side));
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
    player.seek(this.#key("a"), at_s); // both sides share one position
  }

  /** Return the peaks of a side's waveform; none before its audio is loaded. @param {Side} side */
  peaks(side) {
    if (!this.tracks) return [];
    const track = this.tracks[side];
    const meter = new PeakMeter(Math.max(1, Math.ceil(track.length / COLUMNS)));
    meter.add(samplesOf(track));
    return meter.peaks;
  }

  /**
   * Start again at the end while the trial is open, so that a switch always plays sound. After the end, and only then, the
   * player has no position.
   */
  repeat() {
    const over = this.begun && !this.playing && !this.position;
    if (over && this.trial.stage === "open" && player.playing() === null) this.#play(0);
  }

  /** Add the time since the last measurement to the audible side. */
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

/**
 * Return the time at which the audio ends and the padding silence begins. Time in the padding does not count as
 * listening.
 * @param {Track} track
 */
function end_s(track) {
  return (samplesOf(track).findLastIndex((sample) => sample !== 0) + 1) / track.rate;
}
