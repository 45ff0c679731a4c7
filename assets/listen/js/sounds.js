/** Loads and decodes the sounds of a trial. */
import { bytes } from "./server.js";

/** @import { Region, Sound, Trial } from "./types.d.ts" */
/**
 * A decoded sound. `end_s`: where its last sample above silence is. Time after it does not count as listening.
 * @typedef {{name: string, buffer: AudioBuffer, end_s: number}} Track
 */

const FADE_S = 0.005; // at a boundary inside the sound, which prevents clicks

/** Return the sounds of a trial, the reference first, except X, which is last. @param {Trial} trial */
export function soundsOf({ sounds, reference }) {
  if (!reference) return sounds;
  return reference.name === "X" ? [...sounds, reference] : [reference, ...sounds];
}

/**
 * Load all sounds of a trial. Throws Refusal or NoConnection, or a DOMException if a file is damaged.
 * @param {AudioContext} context @param {Sound[]} sounds @returns {Promise<Track[]>}
 */
export function load(context, sounds) {
  return Promise.all(
    sounds.map(async ({ name, url }) => {
      const buffer = await context.decodeAudioData(await bytes(url));
      return { name, buffer, end_s: end_s(buffer) };
    }),
  );
}

/** @param {AudioBuffer} buffer */
function end_s(buffer) {
  const last = (/** @type {Float32Array} */ samples) => samples.findLastIndex((sample) => sample !== 0);
  const channels = Array.from({ length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel));
  return (Math.max(...channels.map(last)) + 1) / buffer.sampleRate;
}

/**
 * Return a part of a sound. All parts of one region have equal lengths, so they stay in step when they repeat.
 * @param {AudioContext} context @param {AudioBuffer} buffer @param {Region} region
 */
export function cut(context, buffer, { from_s, to_s }) {
  const rate = context.sampleRate;
  const [from, to] = [Math.round(from_s * rate), Math.round(to_s * rate)];
  const part = context.createBuffer(buffer.numberOfChannels, to - from, rate);
  for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
    const samples = buffer.getChannelData(channel).slice(from, to);
    if (from > 0) fade(samples, 1, rate);
    if (to < buffer.length) fade(samples, -1, rate);
    part.copyToChannel(samples, channel);
  }
  return part;
}

/** Fade the first samples in, or the last out. @param {Float32Array} samples @param {1 | -1} way @param {number} rate */
function fade(samples, way, rate) {
  const length = Math.min(Math.round(FADE_S * rate), samples.length);
  for (let step = 0; step < length; step += 1) {
    const at = way === 1 ? step : samples.length - 1 - step;
    samples[at] *= step / length;
  }
}
