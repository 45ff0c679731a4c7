/** Peak levels of audio, which a waveform draws as bars. */

/**
 * Return the peak of each of `count` equal parts, relative to the highest peak.
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

/** Collects the peak of every `size` samples, for a waveform drawn during generation or recording. */
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
