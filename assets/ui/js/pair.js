/** Both sides of a trial: fetched before they are needed, played together, one of them heard, and for how long. */
import { changed, emit, follow } from "./bus.js";
import * as player from "./player.js";
import { load, samplesOf } from "./tracks.js";
import { PeakMeter } from "./waveform.js";

export const SIDES = ["a", "b"];
const LEAP_S = 1; // between two looks: more is a seek, or a page nobody saw
const COLUMNS = 240; // of a side's waveform

let current = null;
follow("playhead", () => current?.count());
follow("player", () => queueMicrotask(() => current?.repeat())); // after whatever begins next has begun

export class Pair {
  /** @param trial  as the server tells it */
  constructor(trial) {
    this.trial = trial;
    this.side = "a"; // the one that is heard
    this.heard_s = { a: 0, b: 0 };
    this.at = 0; // where it was at the last look
    this.begun = false;
    this.tracks = null;
    this.gone = false; // a take was deleted before it could be heard
    current = this;
  }

  /** Fetch and decode both, so that a press makes sound at once. Throws Refusal. */
  async fetch() {
    const { trial } = this;
    const tracks = await Promise.all(SIDES.map((side) => load(trial[side].sound, trial.sample_rate)));
    this.tracks = Object.fromEntries(SIDES.map((side, place) => [side, tracks[place]]));
    this.lasts_s = Object.fromEntries(SIDES.map((side, place) => [side, lasts_s(tracks[place])]));
    changed("pair");
  }

  get duration() {
    return this.tracks ? Math.max(...SIDES.map((side) => this.tracks[side].duration)) : 0;
  }

  get position() {
    return player.positionOf(this.#key("a"));
  }

  get playing() {
    return player.isPlaying(this.#key("a"));
  }

  /** Whether a side was heard long enough to be judged. */
  wasHeard(side) {
    return this.heard_s[side] >= this.trial.must_hear_s;
  }

  get ready() {
    return SIDES.every((side) => this.wasHeard(side));
  }

  async hear(side) {
    this.side = side;
    if (this.playing) player.hear(this.#key(side));
    else await this.#play(this.position);
    changed("pair");
  }

  pause() {
    this.begun = false;
    if (this.playing) player.stop();
  }

  seek(at_s) {
    this.at = at_s;
    player.seek(this.#key("a"), at_s); // one position for both
  }

  peaks(side) {
    const track = this.tracks[side];
    const meter = new PeakMeter(Math.max(1, Math.ceil(track.length / COLUMNS)));
    meter.add(samplesOf(track));
    return meter.peaks;
  }

  /** From the start again while it is judged, so that a switch never meets silence. Only the end forgets the position. */
  repeat() {
    const over = this.begun && !this.playing && !this.position;
    if (over && this.trial.stage === "open" && player.playing() === null) this.#play(0);
  }

  /** Add what passed since the last look to the side that was heard. */
  count() {
    if (!this.playing) return;
    const passed = this.position - this.at;
    this.at = this.position;
    if (passed <= 0 || passed > LEAP_S || this.position > this.lasts_s[this.side]) return;
    const before = this.wasHeard(this.side);
    this.heard_s[this.side] += passed;
    if (this.wasHeard(this.side) === before) return;
    changed("pair");
    emit("pair-heard");
  }

  async #play(from_s) {
    if (!this.tracks) await this.fetch();
    this.at = from_s;
    this.begun = true;
    const voices = SIDES.map((side) => ({ key: this.#key(side), track: this.tracks[side] }));
    player.playPair(voices, this.#key(this.side), from_s);
  }

  #key(side) {
    return this.trial[side].sound;
  }
}

/** Until the silence that makes both sides equally long: nobody hears a side there. */
function lasts_s(track) {
  return (samplesOf(track).findLastIndex((sample) => sample !== 0) + 1) / track.rate;
}
