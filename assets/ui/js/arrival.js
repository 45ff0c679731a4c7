/**
 * When sound that is still being made may be heard: once what is there will last until the rest has come. Foretold from
 * the measured rate of arrival and from what the server says is left to do.
 */
const BURST_S = 0.1; // what comes this close together was made at once
const TRUST = 0.8; // of the measured rate; less each time it proved too high
const REFILL_S = 1.5; // at least, after running dry; twice that the next time

export class Arrival {
  /** @param {() => number} now  seconds */
  constructor(now = () => performance.now() / 1000) {
    this.now = now;
    this.begun = null; // when the making began
    this.first = null; // {at, made}: the first burst
    this.last = null; // {at, made}: the newest piece
    this.burst_s = 0; // the longest piece of sound that came at once
    this.due = null; // when all of it will be made
    this.dry = 0; // how often it ran dry
  }

  /** @param {{progress: number, eta_s: number|null}} status  of a request that runs, as the server tells it */
  told({ progress, eta_s }) {
    this.begun ??= this.now();
    const ran_s = this.now() - this.begun;
    const left_s = progress ? (ran_s * (1 - progress)) / progress : Infinity;
    this.due = this.now() + (eta_s === null ? left_s : Math.max(eta_s, progress ? left_s : 0));
  }

  /** @param {number} made  seconds of sound there are now */
  came(made) {
    const at = this.now();
    this.begun ??= at;
    const joins = this.last && at - this.last.from < BURST_S;
    const burst = { at, made, from: joins ? this.last.from : at, before: joins ? this.last.before : this.#made };
    if (!this.first || (joins && this.first === this.last)) this.first = burst;
    this.last = burst;
    this.burst_s = Math.max(this.burst_s, made - burst.before);
  }

  get #made() {
    return this.last?.made ?? 0;
  }

  /** Seconds of sound that come in a second: since the first burst, or until it while there was but one. */
  get rate() {
    const since = this.first === this.last ? { at: this.begun, made: 0 } : this.first;
    return (this.last.made - since.made) / (this.last.at - since.at);
  }

  /** Seconds to wait before `ahead_s` of unheard sound can be played through; 0: now. */
  wait_s(ahead_s) {
    if (!this.last) return Infinity;
    const lost = 1 - this.rate * TRUST ** (1 + this.dry); // of what lies ahead, in each second of playing
    const left_s = Math.max(0, (this.due ?? Infinity) - this.now());
    const wanted_s = Math.max(lost > 0 ? lost * (left_s + this.burst_s) : 0, this.dry ? REFILL_S * 2 ** (this.dry - 1) : 0);
    const missing_s = wanted_s - ahead_s;
    return missing_s > 0 ? missing_s / (this.rate + Math.max(lost, 0)) : 0;
  }
}
