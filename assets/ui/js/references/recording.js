/** Records a reference: raw samples of the microphone, drawn during recording, saved as a float WAV. */
import { PeakMeter } from "../audio/peaks.js";
import { wav } from "../audio/wav.js";
import { Waveform } from "../audio/waveform.js";
import { emit } from "../core/bus.js";
import { announce, h, icon } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { clock, sentence } from "../core/format.js";
import { reason } from "../core/server.js";
import { oncePerFrame } from "../core/timing.js";
import { toast } from "../core/toast.js";
import { bringClip } from "./clips.js";
import { SentenceToRead } from "./sentences.js";

/** @typedef {{samples: Float32Array[], seconds: number, rate: number, meter: PeakMeter, onsound: () => void}} Tap */

const LONGEST_S = 120;
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
 * @param {HTMLElement} place
 */
export async function openRecorder(place) {
  if (open) return;
  open = true;
  try {
    const stream = await microphone();
    await record(stream, place);
  } catch (error) {
    const text = (error instanceof DOMException && REFUSALS[error.name]) || reason(error);
    const onaction = () => emit(EVENT.chooseClip, null);
    toast(sentence(text), { failed: true, action: "Upload clip", onaction, until: STATE.voice });
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

/** @param {MediaStream} stream @param {HTMLElement} place */
async function record(stream, place) {
  const context = new AudioContext();
  try {
    const tap = await tapped(context, stream);
    const sentence = new SentenceToRead();
    const keep = await untilStopped(tap, place, sentence);
    if (!keep || !tap.samples.length) return;
    const name = `Recording ${new Date().toTimeString().slice(0, 5).replace(":", ".")}.wav`;
    await bringClip(new Blob([wav(tap.samples, tap.rate)], { type: "audio/wav" }), name, sentence.words);
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
 * @param {Tap} tap @param {HTMLElement} place @param {SentenceToRead} sentence @returns {Promise<boolean>}
 */
function untilStopped(tap, place, sentence) {
  return new Promise((resolve) => {
    const waveform = new Waveform({ bar: 2, gap: 2, className: "recording" });
    const time = h("span.readout", {}, clock(0));
    const done = h("button.primary", { type: "button", onclick: () => resolve(true) }, icon("stop"), "Stop and use");
    const discard = h("button.quiet", { type: "button", onclick: () => resolve(false) }, "Discard recording");
    place.replaceChildren(
      h("p.hint", {}, "Recording. Stay close to the microphone. Record 3 to 12 seconds."),
      sentence.element,
      waveform.element,
      h("div.recorder-controls", {}, time, h("span.gap"), discard, done),
    );
    place.hidden = false;
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
      if (tap.seconds >= LONGEST_S) resolve(true);
    };
  });
}
