/** Say a line yourself: the chosen voice speaks the recording. Hidden unless an engine of the studio speaks recordings. */
import * as player from "../audio/player.js";
import { load as loadTrack } from "../audio/tracks.js";
import { Waveform } from "../audio/waveform.js";
import { follow } from "../core/bus.js";
import { toastDeletion } from "../core/disk.js";
import { announce, h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { chooseFile } from "../core/file-picker.js";
import { seconds } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, post, postFile, reason, refusedWith, remove } from "../core/server.js";
import { convertingEngine, order, state } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { toast } from "../core/toast.js";
import { addMine } from "../references/clips.js";
import { openRecorder } from "../references/recording.js";
import { voiceOf } from "../takes/voice.js";
import { speak } from "./synthesis.js";

const KEY = "recording"; // id and words of the recording, kept across reloads
const NONE = { id: "", words: "" };
const PLAYER = "recording";
const RATE = 48000;
const LONGEST_S = 60; // of a recording that an engine speaks
const STOP_S = 59.5; // the microphone stops here, because its blocks are not counted exactly
const KINDS = "audio/*,.wav,.flac,.mp3,.ogg,.opus,.m4a";
const HINT = "Say the line as it should sound. The voice keeps your words and your timing.";

/** @type {Clip | null} */
let recording = null;
let recordedWords = ""; // empty if they are not known
let isListed = false; // whether the recording is among the user's clips
let isRestored = false;
let draw = () => {};

/** @param {HTMLElement} element */
export function mount(element) {
  const recorder = h("div.recorder", { hidden: true });
  const sources = sourceRow(recorder);
  const row = new RecordingRow();
  element.append(h("section.performance", { "aria-label": "Your recording" }, sources, recorder, row.element));
  draw = () => {
    element.hidden = !convertingEngine();
    sources.hidden = recording !== null || !recorder.hidden;
    row.element.hidden = recording === null;
    if (recording) row.show(recording);
    if (convertingEngine()) restoreOnce();
  };
  follow([STATE.telemetry, STATE.voice, STATE.champion, STATE.champions, STATE.synthesis], () => draw());
  follow([STATE.player, STATE.playhead], () => recording && row.show(recording));
  follow(STATE.clips, forgetDeleted);
}

/** @param {HTMLElement} recorder  the place of the controls while the user records */
function sourceRow(recorder) {
  const upload = () => chooseFile(KINDS, (file) => keepRecording(file, file.name));
  const record = async () => {
    const how = { hint: HINT, longest_s: STOP_S, above: null, use: keepRecording, upload };
    await openRecorder(recorder, { ...how, uploadTitle: "Upload a recording", onopen: () => draw() });
    draw();
  };
  return h(
    "div.performance-row",
    {},
    h("button.quiet", { type: "button", title: HINT, onclick: record }, icon("microphone"), "Say it yourself"),
    h("button.quiet", { type: "button", onclick: upload }, icon("upload"), "Upload a recording"),
  );
}

/** The recording, with the button that lets the voice speak it. */
class RecordingRow {
  constructor() {
    this.play = iconButton("play", "Play recording", toggle);
    this.waveform = new Waveform({ bar: 2, gap: 1, className: "mini" });
    this.length = h("span.readout");
    this.say = h("button.quiet.say-recording", { type: "button", onclick: convert });
    const trash = iconButton("trash", "Delete recording", discard);
    this.words = h("p.hint");
    this.element = h(
      "div.performance-row",
      {},
      this.play,
      this.waveform.element,
      this.length,
      trash,
      this.say,
      this.words,
    );
  }

  /** @param {Clip} clip */
  show({ duration_s, peaks }) {
    this.length.textContent = seconds(duration_s);
    this.say.textContent = voiceOf(order()) ? `Say it as ${voiceOf(order())}` : "Say it in this voice";
    this.say.setAttribute("aria-disabled", String(state.synthesis !== null)); // `disabled` would move the focus
    this.words.textContent = recordedWords && `“${recordedWords}”`;
    this.words.hidden = !recordedWords;
    const plays = player.isPlaying(PLAYER);
    this.play.replaceChildren(icon(plays ? "stop" : "play"));
    this.waveform.show({ peaks, played: plays ? player.positionOf(PLAYER) / duration_s : 0, filled: 1 });
  }
}

/** Upload a recording and keep it until it is deleted. @param {Blob} file @param {string} name */
async function keepRecording(file, name) {
  try {
    const clip = await postFile("/studio/clips", file, name);
    if (clip.duration_s > LONGEST_S) {
      await remove(`/studio/clips/${clip.id}`);
      throw new Error(`the recording is ${seconds(clip.duration_s)} long; use at most ${LONGEST_S} s`);
    }
    addMine(clip);
    showRecording(clip);
    focusOn("button.say-recording");
    announce("Recording ready.");
  } catch (error) {
    toast(`“${name}” cannot be used. ${reason(error)}`, { failed: true });
  }
}

/** Show the recording of a take again. Throws Refusal if it was deleted. @param {string} id @param {string} words */
export async function reuseRecording(id, words) {
  showRecording(await get(`/studio/clips/${id}`), words);
}

/** Show the recording of an earlier visit, if the studio still has it. */
async function restoreOnce() {
  if (isRestored) return;
  isRestored = true;
  const { id, words } = loadJson(KEY, NONE);
  if (!id) return;
  try {
    const clip = await get(`/studio/clips/${id}`);
    if (!recording) showRecording(clip, words);
  } catch (error) {
    if (refusedWith(error, 404)) saveJson(KEY, NONE);
  }
}

/** Show a recording, and transcribe it if its words are not known; null shows none. @param {Clip | null} clip */
async function showRecording(clip, words = "") {
  recording = clip;
  recordedWords = words;
  isListed = state.mine.some(({ id }) => id === clip?.id);
  saveJson(KEY, clip ? { id: clip.id, words } : NONE);
  draw();
  if (!clip || words || !state.recogniser) return;
  // Without words, the voice still speaks the recording, but the studio does not check the words.
  const span = { start_s: 0, end_s: clip.duration_s };
  const heard = await post(`/studio/clips/${clip.id}/transcribe`, span).catch(() => null);
  if (!heard || recording !== clip) return;
  recordedWords = heard.transcript;
  saveJson(KEY, { id: clip.id, words: recordedWords });
  draw();
}

/** Show no recording any more if the user has deleted it from the clips. */
function forgetDeleted() {
  const listed = state.mine.some(({ id }) => id === recording?.id);
  if (isListed && !listed) showRecording(null);
  isListed = listed;
  draw();
}

/** @param {string} selector */
function focusOn(selector) {
  /** @type {HTMLElement | null} */ (document.querySelector(`.performance ${selector}`))?.focus();
}

/** Do something with the recording. If it was deleted in another tab, show it no longer. @param {() => unknown} act */
function withRecording(act) {
  return attempt(async () => {
    try {
      return await act();
    } catch (error) {
      if (refusedWith(error, 404)) showRecording(null);
      throw error;
    }
  });
}

async function toggle() {
  if (player.isPlaying(PLAYER)) return player.stop();
  const path = `/studio/clips/${recording?.id}/audio.wav`;
  return withRecording(async () => player.play(PLAYER, await loadTrack(path, RATE)));
}

/** Speak the recording in the chosen voice. */
function convert() {
  const engine = convertingEngine();
  if (!recording || !engine || state.synthesis) return null;
  player.stop();
  const wanted = { ...order(engine.name), text: recordedWords, performance: recording.id };
  return speak(wanted, { fresh: true, retry: convert });
}

/** Show a restored recording, unless there is a newer one. @param {Clip} clip @param {string} words */
function bringBack(clip, words) {
  addMine(clip);
  if (!recording) showRecording(clip, words);
}

/** Delete the recording; this can be undone. */
async function discard() {
  const [clip, words] = [recording, recordedWords];
  if (!clip) return;
  player.stop();
  await withRecording(async () => {
    await remove(`/studio/clips/${clip.id}`);
    showRecording(null);
    focusOn("button");
    const back = () => attempt(async () => bringBack(await post(`/studio/clips/${clip.id}/restore`), words));
    toastDeletion("Recording deleted.", { words: "delete the recording", back });
  });
}
