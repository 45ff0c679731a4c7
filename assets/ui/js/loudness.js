/** Integrated loudness after ITU-R BS.1770-4: K-weighting, 400 ms blocks, two gates. Mono. */

const BLOCK_S = 0.4;
const HOP_S = 0.1;
const ABSOLUTE_LUFS = -70;
const RELATIVE_LU = -10;

/** @param {Float32Array} samples  @returns {number} LUFS; -Infinity for silence */
export function loudness(samples, rate) {
  const weighted = filtered(filtered(samples, shelf(rate)), highPass(rate));
  const powers = blocks(weighted, rate).filter((power) => lufs(power) > ABSOLUTE_LUFS);
  if (!powers.length) return -Infinity;
  const gate = lufs(mean(powers)) + RELATIVE_LU;
  return lufs(mean(powers.filter((power) => lufs(power) > gate)));
}

const lufs = (power) => -0.691 + 10 * Math.log10(power);
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function blocks(samples, rate) {
  const size = Math.min(Math.round(BLOCK_S * rate), samples.length);
  const powers = [];
  for (let at = 0; size && at + size <= samples.length; at += Math.round(HOP_S * rate)) {
    let sum = 0;
    for (let one = at; one < at + size; one += 1) sum += samples[one] ** 2;
    powers.push(sum / size);
  }
  return powers;
}

function filtered(samples, { b, a }) {
  const out = new Float64Array(samples.length);
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (let one = 0; one < samples.length; one += 1) {
    const x = samples[one];
    const y = b[0] * x + b[1] * x1 + b[2] * x2 - a[1] * y1 - a[2] * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    out[one] = y;
  }
  return out;
}

/** The standard gives coefficients for 48 kHz only; these formulas yield them, and those of any other rate. */
function shelf(rate) {
  const [f0, gain_db, q] = [1681.974450955533, 3.999843853973347, 0.7071752369554196];
  const k = Math.tan((Math.PI * f0) / rate);
  const high = 10 ** (gain_db / 20);
  const band = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  const b = [high + (band * k) / q + k * k, 2 * (k * k - high), high - (band * k) / q + k * k].map((one) => one / a0);
  return { b, a: [1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
}

function highPass(rate) {
  const [f0, q] = [38.13547087602444, 0.5003270373238773];
  const k = Math.tan((Math.PI * f0) / rate);
  const a0 = 1 + k / q + k * k;
  return { b: [1, -2, 1], a: [1, (2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
}
