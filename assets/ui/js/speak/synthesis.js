/** Generates one take at a time, from the click on Speak to the finished take, and plays it during generation. */
import { Buffering } from "../audio/buffering.js";
import { PeakMeter } from "../audio/peaks.js";
import * as player from "../audio/player.js";
import { GrowingTrack, unlock } from "../audio/tracks.js";
import { at } from "../core/address.js";
import { changed, emit, follow, on } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { rankWords, seconds, sentence } from "../core/format.js";
import { post, Refusal, reason, stream } from "../core/server.js";
import { order, restored, select, setSynthesis, state, unavailable } from "../core/state.js";
import { clearFailures, toast } from "../core/toast.js";
import { acceptReference, failedCheck } from "../references/report.js";
import { receive } from "../takes/takes.js";
import { wholeSamples } from "./pcm.js";
import { QueuedCall } from "./queue.js";

/** @import { FieldName } from "../core/fields.js" */

const RATE = 24000; // sample rate of the context that the click unlocks, before the engine's rate is known
const PEAK_S = 0.02;
const SHOWN_MS = 4000; // least time for which a lost connection is reported
const REFERENCE = ["clip_id", "start_s", "end_s", "transcript"];
const CHAMPION = ["champion", "version", "attachment"];
// in the order of the inputs of /speak
const PARAMETERS = [
  "text",
  ...REFERENCE,
  "engine",
  ...fields.NUMBERS,
  ...CHAMPION,
  "performance",
  "design",
  "language",
];

let leaving = false; // whether the page is being left; the browser then aborts running requests

/**
 * Speak the current input, or an earlier order. Resolves to the take, or null if there is none.
 * @param {Order | null} earlier
 * @param {{fresh?: boolean, aloud?: boolean, retry?: () => unknown}} how
 *   `fresh`: check the reference first (an earlier order was checked already); `aloud`: play during generation;
 *   `retry`: the action of "Try again"
 * @returns {Promise<Take | null>}
 */
export async function speak(earlier = null, { fresh = !earlier, aloud = true, retry = () => speak(earlier) } = {}) {
  unlock(RATE);
  await restored;
  if (state.synthesis) return null;
  clearFailures();
  const wanted = earlier ?? order();
  if (unavailable(wanted.engine)) return refuse(unavailable(wanted.engine));
  if (!wanted.performance && !wanted.text.trim()) return refuse("the text is empty; type a line", "script");
  if (!wanted.champion && !wanted.design && !wanted.transcript.trim())
    return refuse("the transcript is empty; type exactly the words in the selected part", "transcript");
  if (aloud) player.stop();
  const synthesis = newSynthesis(wanted, aloud, retry);
  setSynthesis(synthesis);
  const flaw = fresh ? await failedCheck() : null;
  if (!isCurrent(synthesis)) return null;
  if (flaw) return stopForCheck(flaw, retry);
  update(synthesis, { phase: "joining" });
  return finish(synthesis);
}

/** @param {Order} order @param {boolean} aloud @param {() => unknown} retry @returns {Synthesis} */
function newSynthesis(order, aloud, retry) {
  const call = new QueuedCall("speak", {
    onwait: (rank) => update(synthesis, { phase: "queued", rank, eta_s: predicted() }),
    onyield: ([status]) => receiveStatus(synthesis, status),
  });
  /** @type {Synthesis} */
  const synthesis = {
    ...{ phase: "checking", rank: 0, eta_s: null, progress: 0, id: null, made: false },
    ...{ order, aloud, retry, call, track: null, meter: null, received: null },
  };
  return synthesis;
}

/**
 * Stop because a check of the reference failed. The user can insist with "Speak anyway".
 * @param {Check} flaw @param {() => unknown} retry
 */
function stopForCheck({ name, message }, retry) {
  const insist = () => {
    acceptReference();
    retry();
  };
  setSynthesis(null);
  const spoken = reference();
  toast(message, {
    ...{ failed: true, action: "Speak anyway", onaction: insist },
    holds: () => reference() === spoken, // the message leaves when the user changes the reference
  });
  if (["transcript", "speech rate"].includes(name)) fields.focus("transcript");
  else emit(EVENT.reveal, "transcript"); // shows the report below the transcript
  return null;
}

/** @param {Synthesis} synthesis @returns {Promise<Take | null>} */
async function finish(synthesis) {
  try {
    const outputs = await synthesis.call.send(PARAMETERS.map((name) => synthesis.order[name]));
    const take = outputs?.[2] ?? null;
    if (take) await receiveTake(synthesis, take);
    return isCurrent(synthesis) ? take : null;
  } catch (error) {
    if (isCurrent(synthesis)) showFailure(error, synthesis.retry);
    return null;
  } finally {
    if (synthesis.made)
      await synthesis.received; // play it to its end, even if saving failed
    else if (synthesis.id && player.isPlaying(synthesis.id)) player.stop(); // generation failed
    if (isCurrent(synthesis)) setSynthesis(null);
  }
}

/** Return a key of the current reference. */
function reference() {
  const now = order();
  return JSON.stringify([...REFERENCE, ...CHAMPION].map((name) => now[name]));
}

/** @param {unknown} error @param {() => unknown} onaction */
function showFailure(error, onaction) {
  const retryable = error instanceof Refusal && error.retryable;
  const isLost = error instanceof Refusal && !error.status;
  const since_ms = performance.now();
  const holds = () => !isLost || state.told_ms <= since_ms || performance.now() < since_ms + SHOWN_MS;
  toast(reason(error), { failed: true, holds, ...(retryable && { action: "Try again", onaction }) });
}

/**
 * Return true if this is the current generation. A stopped one may end after the next has begun.
 * @param {Synthesis} synthesis
 */
function isCurrent(synthesis) {
  return state.synthesis === synthesis;
}

/** Return the studio's ETA. Gradio knows only the average duration of takes, but the studio knows the queue. */
function predicted() {
  return state.telemetry?.waiting.find((one) => one.mine)?.eta_s ?? null;
}

/** @param {Synthesis} synthesis @param {SpeakStatus} status */
function receiveStatus(synthesis, { id, state: phase, rank, progress, eta_s, sample_rate }) {
  if (!isCurrent(synthesis)) return;
  synthesis.id = id;
  if (!synthesis.track && sample_rate) synthesis.received = receiveSound(synthesis, id, sample_rate);
  synthesis.made = phase === "done";
  if (phase === "running") synthesis.track?.buffering.update({ progress, eta_s });
  update(synthesis, { phase: phase === "queued" ? "queued" : "running", rank, progress, eta_s });
}

/** @param {Synthesis} synthesis @param {Partial<Synthesis>} changes */
function update(synthesis, changes) {
  if (!isCurrent(synthesis)) return;
  const begins = synthesis.phase !== "running" && changes.phase === "running";
  const moves = changes.phase === "queued" && changes.rank !== synthesis.rank;
  Object.assign(synthesis, changes);
  if (begins) announce("Generating.");
  else if (moves) announce(`${rankWords(synthesis.rank, synthesis.eta_s)}.`);
  changed(STATE.synthesis);
}

/**
 * Receive the audio during generation, play it, and collect its peaks for the waveform.
 * @param {Synthesis} synthesis @param {string} id @param {number} rate
 */
async function receiveSound(synthesis, id, rate) {
  const track = new GrowingTrack(rate, new Buffering());
  const meter = new PeakMeter(Math.round(rate * PEAK_S));
  Object.assign(synthesis, { track, meter });
  try {
    for await (const samples of wholeSamples(await stream(`/studio/live/${id}.pcm`))) {
      const first = !track.length;
      track.push(samples);
      meter.add(samples);
      if (first && synthesis.aloud && isCurrent(synthesis)) player.play(id, track, 0);
    }
  } catch (error) {
    if (!leaving) console.warn("live sound ended early:", reason(error));
  } finally {
    track.end();
  }
}

/** @param {Synthesis} synthesis @param {Take} take */
async function receiveTake(synthesis, take) {
  await synthesis.received;
  if (synthesis.id) player.rename(synthesis.id, take.id);
  synthesis.id = null;
  await receive(take);
  if (!isCurrent(synthesis)) return;
  select(take.id);
  announce(`Take ready: ${seconds(take.duration_s)}, seed ${take.order.seed}.`);
}

/**
 * Stop the generation, whether it waits in Gradio's queue, waits in the scheduler or runs. The page can speak again at
 * once.
 */
export function stop() {
  const { synthesis } = state;
  if (!synthesis) return;
  if (synthesis.aloud) player.stop();
  setSynthesis(null);
  if (synthesis.id) post(`/studio/live/${synthesis.id}/cancel`).catch(() => synthesis.call.leave());
  else synthesis.call.leave();
  toast("Stopped. Nothing was saved.");
  if (document.activeElement?.matches("#stop, body"))
    /** @type {HTMLElement | null} */ (document.querySelector("#speak"))?.focus({ preventScroll: true });
}

/** @param {string} why @param {FieldName | null} field */
function refuse(why, field = null) {
  toast(sentence(why), { failed: true });
  if (field) fields.focus(field);
  return null;
}

follow(STATE.telemetry, () => {
  const { synthesis } = state;
  if (synthesis?.phase === "queued" && !synthesis.id) update(synthesis, { eta_s: predicted() });
});

on(EVENT.pageLeaves, () => {
  leaving = true;
  const { synthesis } = state;
  if (synthesis?.id) navigator.sendBeacon(at(`/studio/live/${synthesis.id}/cancel`));
});
