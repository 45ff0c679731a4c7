/**
 * When sound that is still being made may be heard: once what is there will last until the rest has come. Predicted
 * from the measured rate at which it comes and from what the server says is left to do.
 */
const BURST_S = 0.1; // what comes this close together was made at once
const TRUST = 0.8; // of the measured rate; less each time it proved too high
const REFILL_S = 1.5; // at least, after running dry; twice that the next time

/** @typedef {{from: number, at: number, before: number, made: number}} Burst  began, ended; sound there was, and is */

export class Buffering {
  /** @param {() => number} now  seconds */
  constructor(now = () => performance.now() / 1000) {
    this.now = now;
    /** @type {number | null} */ this.begun = null; // when the making began
    /** @type {Burst | null} */ this.first = null;
    /** @type {Burst | null} */ this.last = null;
    this.longest = 0; // seconds of sound that came at once
    this.due = Number.POSITIVE_INFINITY; // when all of it will be made
    this.dry = 0; // how often it ran dry
  }

  /** Of a request that runs, as the server tells it. @param {{progress: number, eta_s: number | null}} status */
  update({ progress, eta_s }) {
    const now = this.now();
    this.begun ??= now;
    const left_s = progress ? ((now - this.begun) * (1 - progress)) / progress : (eta_s ?? Number.POSITIVE_INFINITY);
    this.due = now + Math.max(left_s, eta_s ?? 0);
  }

  /** @param {number} made  seconds of sound there are now */
  received(made) {
    const at = this.now();
    this.begun ??= at;
    if (this.last && at - this.last.from < BURST_S) Object.assign(this.last, { at, made });
    else this.last = { from: at, at, before: this.last?.made ?? 0, made };
    this.first ??= this.last;
    this.longest = Math.max(this.longest, made - this.last.before);
  }

  /** Seconds to wait before `ahead_s` of unheard sound can be played through; 0: now. @param {number} ahead_s */
  wait_s(ahead_s) {
    if (!this.last) return Number.POSITIVE_INFINITY;
    const rate = this.#rate(this.last);
    const lost = Math.max(0, 1 - rate * TRUST ** (1 + this.dry)); // of what lies ahead, in a second of playing
    const left_s = Math.max(0, this.due - this.now());
    const refill_s = this.dry ? REFILL_S * 2 ** (this.dry - 1) : 0;
    const missing_s = Math.max(lost && lost * (left_s + this.longest), refill_s) - ahead_s;
    return missing_s > 0 ? missing_s / (rate + lost) : 0;
  }

  /**
   * Seconds of sound that come in a second: since the first burst, or until it while there was but one.
   * @param {Burst} last
   */
  #rate(last) {
    const since = this.first && this.first !== last ? this.first : { at: this.begun ?? 0, made: 0 };
    return (last.made - since.made) / (last.at - since.at);
  }
}
