/** Speaking: one performance at a time, from the press to the take, heard while it is made. */
import { Arrival } from "./arrival.js";
import { changed, emit, follow, on } from "./bus.js";
import { announce } from "./dom.js";
import * as fields from "./fields.js";
import * as player from "./player.js";
import { Place } from "./queue.js";
import { accept, objection } from "./report.js";
import { post, stream } from "./server.js";
import { begun, order, select, setTakes, state, unavailable } from "./state.js";
import { clearFailures, toast } from "./toast.js";
import { Growing, unlock } from "./tracks.js";
import { PeakMeter } from "./waveform.js";
import { rankWords, seconds, sentence } from "./words.js";

const RATE = 24000; // of the context woken by the press, before the engine's rate is known
const PEAK_S = 0.02;
const VOICE = ["clip_id", "start_s", "end_s", "transcript"];
const PARAMETERS = ["text", ...VOICE, "engine", "seed", ...fields.SETTINGS, "champion", "version", "attachment"]; // of /speak

/**
 * @typedef {object} Performance
 * @property {"looking"|"queueing"|"queued"|"running"} phase
 * @property {number} rank  in whichever line it waits; 0 when it runs
 * @property {number|null} eta_s @property {number} progress
 * @property {string|null} id  known once the lane has it
 * @property {boolean} aloud  heard while it is made
 * @property {boolean} made  all of its sound is made; keeping it may still fail
 */

/**
 * Speak what is on screen, or an order that was spoken before. Resolves to the take, or null if none came of it.
 * @param {{fresh?: boolean, aloud?: boolean, again?: () => void}} how  whether its reference is looked at first, since
 *   what was spoken once may be spoken again; whether it is heard while it is made; what "Try again" does
 */
export async function speak(earlier = null, { fresh = !earlier, aloud = true, again = () => speak(earlier) } = {}) {
  unlock(RATE);
  await begun;
  if (state.performance) return null;
  clearFailures();
  const wanted = earlier ?? order();
  if (unavailable(wanted.engine)) return refuse(unavailable(wanted.engine));
  if (!wanted.text.trim()) return refuse("there is nothing to say; type a line first", "script");
  if (!wanted.champion && !wanted.transcript.trim())
    return refuse("the voice has no transcript; type exactly what is said in the selected part", "transcript");
  player.stop();
  const performance = {
    phase: "looking",
    rank: 0,
    eta_s: null,
    progress: 0,
    id: null,
    made: false,
    order: wanted,
    aloud,
    again,
    meter: null,
    track: null,
  };
  performance.place = new Place("speak", {
    waiting: (rank) => update(performance, { phase: "queued", rank, eta_s: foretold() }),
    yields: ([status]) => heard(performance, status),
  });
  state.performance = performance;
  changed("performance");
  const flaw = fresh ? await objection() : null;
  if (!isOn(performance)) return null;
  if (flaw) return object(flaw, again);
  update(performance, { phase: "queueing" });
  return finish(performance);
}

/** A reference that cannot sound right is spoken with only when the designer insists. */
function object({ name, message }, again) {
  const insist = () => {
    accept();
    again();
  };
  leaveStage();
  toast(message, { failed: true, action: "Speak anyway", onaction: insist });
  if (["transcript", "speech rate"].includes(name)) fields.focus("transcript");
  else emit("reveal", "transcript"); // the report stands below it
  return null;
}

async function finish(performance) {
  try {
    const said = await performance.place.call(PARAMETERS.map((name) => performance.order[name]));
    const take = said?.[2];
    if (take) await received(performance, take);
    return take ?? null;
  } catch (error) {
    if (isOn(performance)) failed(error, performance.again);
    return null;
  } finally {
    if (performance.made) await performance.heard; // to its end, even if it could not be kept
    else if (performance.id && player.isPlaying(performance.id)) player.stop(); // it failed half way
    if (isOn(performance)) leaveStage();
  }
}

function failed(error, again) {
  toast(error.message, { failed: true, ...(error.mayPass && { action: "Try again", onaction: again }) });
}

/** Whether it is still the page's performance: a stopped one may end later, beside the next. */
function isOn(performance) {
  return state.performance === performance;
}

function leaveStage() {
  state.performance = null;
  changed("performance");
}

/** Gradio knows only how long takes took on average; the studio knows what is in line. */
function foretold() {
  return state.telemetry?.waiting.find((one) => one.mine)?.eta_s ?? null;
}

/** The server told where it stands. */
function heard(performance, { id, state: phase, rank, progress, eta_s, sample_rate }) {
  if (!isOn(performance)) return;
  performance.id = id;
  if (!performance.track && sample_rate) listen(performance, sample_rate);
  performance.made = phase === "done";
  if (phase === "running") performance.track?.arrival.told({ progress, eta_s });
  update(performance, { phase: phase === "queued" ? "queued" : "running", rank, progress, eta_s });
}

function update(performance, changes) {
  if (!isOn(performance)) return;
  const begins = performance.phase !== "running" && changes.phase === "running";
  const moves = changes.phase === "queued" && changes.rank !== performance.rank;
  Object.assign(performance, changes);
  if (begins) announce("Speaking.");
  else if (moves) announce(`${rankWords(changes.rank, changes.eta_s)}.`);
  changed("performance");
}

/** Fetch the sound while it is made, play it, and keep its peaks for the growing waveform. */
async function listen(performance, rate) {
  const track = (performance.track = new Growing(rate, new Arrival()));
  const meter = (performance.meter = new PeakMeter(Math.round(rate * PEAK_S)));
  performance.heard = new Promise((resolve) => (performance.allHeard = resolve));
  try {
    const answer = await stream(`/studio/live/${performance.id}.pcm`);
    for await (const samples of pieces(answer.body)) {
      const first = !track.length;
      track.push(samples);
      meter.add(samples);
      if (first && performance.aloud && isOn(performance)) player.play(performance.id, track, 0);
    }
  } catch (error) {
    if (!left) console.warn("live sound ended early:", error.message);
  } finally {
    track.end();
    performance.allHeard();
  }
}

/** int16 little-endian as it arrives, cut at whole samples. */
async function* pieces(body) {
  const reader = body.getReader();
  let odd = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const bytes = new Uint8Array(odd.length + value.length);
    bytes.set(odd);
    bytes.set(value, odd.length);
    const whole = bytes.length - (bytes.length % 2);
    odd = bytes.slice(whole);
    if (whole) yield Float32Array.from(new Int16Array(bytes.buffer.slice(0, whole)), (value) => value / 32768);
  }
}

async function received(performance, take) {
  await performance.heard;
  player.rename(performance.id, take.id);
  performance.id = null;
  setTakes([take, ...state.takes.filter((other) => other.id !== take.id)]);
  if (!isOn(performance)) return;
  select(take.id);
  announce(`Take ready: ${seconds(take.duration_s)}, seed ${take.order.seed}.`);
}

/** Stop what is made, wherever it stands: in Gradio's line, in the lane's, or speaking. The page is free at once. */
export function stop() {
  const { performance } = state;
  if (!performance) return;
  player.stop();
  leaveStage();
  if (performance.id) post(`/studio/live/${performance.id}/cancel`).catch(() => performance.place.leave());
  else performance.place.leave();
  announce("Stopped.");
}

function refuse(reason, field = null) {
  toast(sentence(reason), { failed: true });
  if (field) fields.focus(field);
  return null;
}

follow("telemetry", () => {
  const { performance } = state;
  if (performance?.phase === "queued" && !performance.id) update(performance, { eta_s: foretold() });
});

let left = false; // the page, upon which the browser cuts what is still being fetched

on("page-leaves", () => {
  left = true;
  const { performance } = state;
  if (performance?.id) navigator.sendBeacon(`/studio/live/${performance.id}/cancel`);
});
