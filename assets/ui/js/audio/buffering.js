/**
 * Decides when playback of an unfinished take can start: when the received audio lasts until the rest arrives. The
 * prediction uses the measured rate of arrival and the server's estimate of the remaining time.
 */
const BURST_S = 0.1; // chunks that arrive within this time count as one burst
// factor applied to the measured rate; applied once more for each time that playback ran out of audio
const TRUST = 0.8;
const REFILL_S = 1.5; // least audio to wait for after playback ran out; doubled for each further time

/**
 * @typedef {{from: number, at: number, before: number, made: number}} Burst  `from`, `at`: times of its first and last
 *   chunk; `before`, `made`: seconds of audio received before the burst, and up to its end
 */

export class Buffering {
  /** @param {() => number} now  seconds */
  constructor(now = () => performance.now() / 1000) {
    this.now = now;
    /** @type {number | null} */ this.begun = null; // time at which generation began
    /** @type {Burst | null} */ this.first = null;
    /** @type {Burst | null} */ this.last = null;
    this.longest = 0; // the largest burst, in seconds of audio
    this.due = Number.POSITIVE_INFINITY; // time at which the audio is expected to be complete
    this.dry = 0; // how often playback ran out of audio
  }

  /**
   * Use the progress of the running request, as reported by the server.
   * @param {{progress: number, eta_s: number | null}} status
   */
  update({ progress, eta_s }) {
    const now = this.now();
    this.begun ??= now;
    const left_s = progress ? ((now - this.begun) * (1 - progress)) / progress : (eta_s ?? Number.POSITIVE_INFINITY);
    this.due = now + Math.max(left_s, eta_s ?? 0);
  }

  /** @param {number} made  seconds of audio received so far */
  received(made) {
    const at = this.now();
    this.begun ??= at;
    if (this.last && at - this.last.from < BURST_S) Object.assign(this.last, { at, made });
    else this.last = { from: at, at, before: this.last?.made ?? 0, made };
    this.first ??= this.last;
    this.longest = Math.max(this.longest, made - this.last.before);
  }

  /**
   * Return the seconds to wait before playback can start with `ahead_s` of unplayed audio; 0: start now.
   * @param {number} ahead_s
   */
  wait_s(ahead_s) {
    if (!this.last) return Number.POSITIVE_INFINITY;
    const rate = this.#rate(this.last);
    // seconds of buffered audio lost per second of playback
    const lost = Math.max(0, 1 - rate * TRUST ** (1 + this.dry));
    const left_s = Math.max(0, this.due - this.now());
    const refill_s = this.dry ? REFILL_S * 2 ** (this.dry - 1) : 0;
    const missing_s = Math.max(lost && lost * (left_s + this.longest), refill_s) - ahead_s;
    return missing_s > 0 ? missing_s / (rate + lost) : 0;
  }

  /**
   * Return the seconds of audio that arrive per second: since the first burst, or until the end of the only burst.
   * @param {Burst} last
   */
  #rate(last) {
    const since = this.first && this.first !== last ? this.first : { at: this.begun ?? 0, made: 0 };
    return (last.made - since.made) / (last.at - since.at);
  }
}
