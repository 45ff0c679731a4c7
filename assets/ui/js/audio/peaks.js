/** The loudest samples of sound, which a waveform draws as bars. */

/**
 * The loudest of each part, for any number of bars, in shares of the loudest of all.
 * @param {number[]} peaks @param {number} count
 */
export function barHeights(peaks, count) {
  const heights = new Array(count).fill(0);
  if (!peaks.length) return heights;
  const loudest = Math.max(0.05, ...peaks);
  return heights.map((_, place) => {
    const from = Math.floor((place * peaks.length) / count);
    const to = Math.max(from + 1, Math.floor(((place + 1) * peaks.length) / count));
    return Math.max(0, ...peaks.slice(from, to)) / loudest;
  });
}

/** Loudest sample of every `size` samples; for sound drawn while it is made or recorded. */
export class PeakMeter {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
    /** @type {number[]} */ this.peaks = [];
    this.loudest = 0;
    this.count = 0;
  }

  /** @param {Float32Array} samples */
  add(samples) {
    for (const sample of samples) {
      this.loudest = Math.max(this.loudest, Math.abs(sample));
      this.count += 1;
      if (this.count === this.size) {
        this.peaks.push(this.loudest);
        this.loudest = 0;
        this.count = 0;
      }
    }
  }
}
