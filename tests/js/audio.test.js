/** Peaks, WAV files and raw samples. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { barHeights, PeakMeter } from "../../assets/ui/js/audio/peaks.js";
import { wav } from "../../assets/ui/js/audio/wav.js";
import { amplitudes } from "../../assets/ui/js/compare/levels.js";
import { wholeSamples } from "../../assets/ui/js/speak/pcm.js";
import { streamOf } from "./streams.js";

test("bars are the peaks of their parts, relative to the highest peak", () => {
  assert.deepEqual(barHeights([0.1, 0.4, 0.2, 0.8], 2), [0.5, 1]);
});

test("more bars than peaks repeat them, and no peaks are no bars", () => {
  assert.deepEqual(barHeights([0.5, 1], 4), [0.5, 0.5, 1, 1]);
  assert.deepEqual(barHeights([], 3), [0, 0, 0]);
});

test("near silence is not drawn as tall as speech", () => {
  assert.deepEqual(barHeights([0.0125], 1), [0.25]);
});

test("a meter keeps the peak of every n samples, also across chunks", () => {
  const meter = new PeakMeter(3);
  meter.add(new Float32Array([0.25, -0.5]));
  meter.add(new Float32Array([0.125, 0, 0.25]));
  assert.deepEqual(meter.peaks, [0.5]);
  meter.add(new Float32Array([-0.125]));
  assert.deepEqual(meter.peaks, [0.5, 0.25]);
});

test("a recording becomes a mono WAV file of float samples", () => {
  const file = new DataView(wav([new Float32Array([0.5, -0.25]), new Float32Array([1])], 48000));
  const text = (/** @type {number} */ at) => String.fromCharCode(...new Uint8Array(file.buffer, at, 4));
  assert.deepEqual([0, 8, 12, 38, 50].map(text), ["RIFF", "WAVE", "fmt ", "fact", "data"]);
  assert.equal(file.getUint32(4, true), file.byteLength - 8);
  assert.deepEqual([file.getUint16(20, true), file.getUint16(22, true), file.getUint32(24, true)], [3, 1, 48000]);
  assert.equal(file.getUint32(54, true), 12);
  assert.deepEqual([...new Float32Array(file.buffer.slice(58))], [0.5, -0.25, 1]);
});

test("samples that are split between chunks are decoded", async () => {
  const bytes = new Uint8Array(new Int16Array([0, 16384, -32768, 8192]).buffer);
  const cuts = [bytes.slice(0, 3), bytes.slice(3, 4), bytes.slice(4, 7), bytes.slice(7)];
  const samples = [];
  for await (const piece of wholeSamples(streamOf(...cuts))) samples.push(...piece);
  assert.deepEqual(samples, [0, 0.5, -1, 0.25]);
});

test("the louder sound is lowered; silent or unknown sounds change nothing", () => {
  const [quiet, loud] = amplitudes([-30, -10]);
  assert.equal(quiet, 1);
  assert.ok(Math.abs(loud - 0.1) < 1e-9);
  assert.deepEqual(amplitudes([null, -10]), [1, 1]);
  assert.deepEqual(amplitudes([null, null]), [1, 1]);
});
