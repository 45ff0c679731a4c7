/** Record a reference: the microphone's raw samples, drawn while they come, kept as a float WAV. */
import { emit } from "./bus.js";
import { takeIn } from "./clips.js";
import { announce, h, icon } from "./dom.js";
import { toast } from "./toast.js";
import { wav } from "./wav.js";
import { PeakMeter, Waveform } from "./waveform.js";
import { clock, sentence } from "./words.js";

const LONGEST_S = 120;
const WORKLET = "/studio/assets/js/tap.worklet.js";
// What calls need, recordings do not: every one of them changes the voice.
const RAW = { audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: 1 } };

const REFUSALS = {
  NotAllowedError: "the microphone is blocked; allow it for this page in the browser's address bar, or upload a clip",
  NotFoundError: "no microphone was found; plug one in, or upload a clip",
  NotReadableError: "another program holds the microphone; close it and try again, or upload a clip",
};

let open = false;

/** Ask for the microphone and record into `place` until it is stopped. */
export async function openRecorder(place) {
  if (open) return;
  open = true;
  try {
    const stream = await microphone();
    await record(stream, place);
  } catch (error) {
    const text = sentence(REFUSALS[error.name] ?? error.message);
    toast(text, { failed: true, action: "Upload a clip", onaction: () => emit("choose-clip") });
  } finally {
    open = false;
    place.hidden = true;
    place.replaceChildren();
  }
}

function microphone() {
  if (!navigator.mediaDevices)
    throw new Error("browsers give the microphone only to https or localhost; open the studio there, or upload a clip");
  return navigator.mediaDevices.getUserMedia(RAW);
}

async function record(stream, place) {
  const context = new AudioContext();
  try {
    const tap = await tapped(context, stream);
    const keep = await untilStopped(tap, context.sampleRate, place);
    if (!keep || !tap.samples.length) return;
    const name = `Recording ${new Date().toTimeString().slice(0, 5).replace(":", ".")}.wav`;
    await takeIn(new Blob([wav(tap.samples, context.sampleRate)], { type: "audio/wav" }), name);
  } finally {
    stream.getTracks().forEach((track) => track.stop());
    context.close();
  }
}

/** Everything the microphone hears from now on. */
async function tapped(context, stream) {
  await context.audioWorklet.addModule(WORKLET);
  const node = new AudioWorkletNode(context, "tap", { numberOfOutputs: 0 });
  const tap = { samples: [], seconds: 0, meter: new PeakMeter(Math.round(context.sampleRate / 40)), onsound: () => {} };
  node.port.onmessage = ({ data }) => {
    tap.samples.push(data);
    tap.seconds += data.length / context.sampleRate;
    tap.meter.add(data);
    tap.onsound();
  };
  context.createMediaStreamSource(stream).connect(node);
  return tap;
}

/** Shows the recording; resolves to whether to keep it. */
function untilStopped(tap, rate, place) {
  return new Promise((resolve) => {
    const waveform = new Waveform({ bar: 2, gap: 2, className: "recording" });
    const time = h("span.readout", {}, clock(0));
    const done = h("button.primary", { type: "button", onclick: () => resolve(true) }, icon("stop"), "Use it");
    const discard = h("button.quiet", { type: "button", onclick: () => resolve(false) }, "Discard");
    place.replaceChildren(
      h("p.hint", {}, "Recording. Read one or two sentences, 3 to 12 seconds, close to the microphone."),
      waveform.element,
      h("div.recorder-controls", {}, time, h("span.gap"), discard, done),
    );
    place.hidden = false;
    done.focus();
    announce("Recording.");
    const draw = oncePerFrame(() => {
      time.textContent = clock(tap.seconds);
      waveform.show({
        peaks: tap.meter.peaks.slice(-400),
        played: 1,
        filled: Math.min(1, tap.meter.peaks.length / 400),
      });
    });
    tap.onsound = () => {
      draw();
      if (tap.seconds >= LONGEST_S) resolve(true);
    };
  });
}

/** Sound comes in hundreds of pieces a second; a slow machine would do nothing but draw them. */
function oncePerFrame(act) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      act();
    });
  };
}
