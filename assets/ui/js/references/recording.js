/** Records a reference or a performance: raw samples of the microphone, drawn during recording, saved as a float WAV. */
import { PeakMeter } from "../audio/peaks.js";
import { wav } from "../audio/wav.js";
import { Waveform } from "../audio/waveform.js";
import { announce, h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { clock, sentence } from "../core/format.js";
import { reason } from "../core/server.js";
import { oncePerFrame } from "../core/timing.js";
import { toast } from "../core/toast.js";

/** @typedef {{samples: Float32Array[], seconds: number, rate: number, meter: PeakMeter, onsound: () => void}} Tap */
/**
 * @typedef {object} Recorder
 * @property {string} hint  what to record, one or two sentences
 * @property {number} longest_s  the recording stops by itself after this time
 * @property {HTMLElement | null} above  shown above the waveform
 * @property {(file: Blob, name: string) => unknown} use  called with a recording that is kept
 * @property {() => unknown} upload  opens the file picker in place of a microphone that does not work
 * @property {string} uploadTitle  label of the upload button
 * @property {() => unknown} [onopen]  called when the controls are shown
 */

const COLUMNS = 400; // bars of the waveform
const WORKLET = new URL("../audio/recorder.worklet.js", import.meta.url).href;
// These filters help in calls, but change the voice in a recording.
const RAW = { audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 } };

/** @type {Record<string, string>} */
const REFUSALS = {
  NotAllowedError: "the browser blocks the microphone; allow the microphone in the address bar, or upload a clip",
  NotFoundError: "no microphone found; connect a microphone, or upload a clip",
  NotReadableError: "another program uses the microphone; close the program and try again, or upload a clip",
};

let open = false;

/**
 * Ask for the microphone and record until the user stops. The controls are shown in `place`.
 * @param {HTMLElement} place @param {Recorder} recorder
 */
export async function openRecorder(place, recorder) {
  if (open) return;
  open = true;
  try {
    const stream = await microphone();
    await record(stream, place, recorder);
  } catch (error) {
    const text = (error instanceof DOMException && REFUSALS[error.name]) || reason(error);
    toast(sentence(text), {
      ...{ failed: true, action: recorder.uploadTitle, onaction: recorder.upload, until: STATE.voice },
    });
  } finally {
    open = false;
    place.hidden = true;
    place.replaceChildren();
  }
}

function microphone() {
  if (!navigator.mediaDevices)
    throw new Error(
      "the microphone needs an https or localhost address; open the studio at such an address, or upload a clip",
    );
  return navigator.mediaDevices.getUserMedia(RAW);
}

/** @param {MediaStream} stream @param {HTMLElement} place @param {Recorder} recorder */
async function record(stream, place, recorder) {
  const context = new AudioContext();
  try {
    const tap = await tapped(context, stream);
    const keep = await untilStopped(tap, place, recorder);
    if (!keep || !tap.samples.length) return;
    const name = `Recording ${new Date().toTimeString().slice(0, 5).replace(":", ".")}.wav`;
    await recorder.use(new Blob([wav(tap.samples, tap.rate)], { type: "audio/wav" }), name);
  } finally {
    for (const track of stream.getTracks()) track.stop();
    context.close();
  }
}

/**
 * Collect all audio of the microphone from now on.
 * @param {AudioContext} context @param {MediaStream} stream @returns {Promise<Tap>}
 */
async function tapped(context, stream) {
  await context.audioWorklet.addModule(WORKLET);
  const node = new AudioWorkletNode(context, "recorder", { numberOfOutputs: 0 });
  const rate = context.sampleRate;
  /** @type {Tap} */
  const tap = { samples: [], seconds: 0, rate, meter: new PeakMeter(Math.round(rate / 40)), onsound: () => {} };
  node.port.onmessage = ({ data }) => {
    tap.samples.push(data);
    tap.seconds += data.length / rate;
    tap.meter.add(data);
    tap.onsound();
  };
  context.createMediaStreamSource(stream).connect(node);
  return tap;
}

/**
 * Show the recording. Resolves to true if it is kept.
 * @param {Tap} tap @param {HTMLElement} place @param {Recorder} recorder @returns {Promise<boolean>}
 */
function untilStopped(tap, place, { hint, above, longest_s, onopen }) {
  return new Promise((resolve) => {
    const waveform = new Waveform({ bar: 2, gap: 2, className: "recording" });
    const time = h("span.readout", {}, clock(0));
    const done = h("button.primary", { type: "button", onclick: () => resolve(true) }, icon("stop"), "Stop and use");
    const discard = h("button.quiet", { type: "button", onclick: () => resolve(false) }, "Discard recording");
    place.replaceChildren(
      h("p.hint", {}, `Recording. ${hint}`),
      ...(above ? [above] : []),
      waveform.element,
      h("div.recorder-controls", {}, time, h("span.gap"), discard, done),
    );
    place.hidden = false;
    onopen?.();
    done.focus();
    announce("Recording.");
    // Audio arrives in hundreds of blocks per second. Drawing each block would overload a slow machine.
    const draw = oncePerFrame(() => {
      const { peaks } = tap.meter;
      time.textContent = clock(tap.seconds);
      waveform.show({ peaks: peaks.slice(-COLUMNS), played: 1, filled: Math.min(1, peaks.length / COLUMNS) });
    });
    tap.onsound = () => {
      draw();
      if (tap.seconds >= longest_s) resolve(true);
    };
  });
}
