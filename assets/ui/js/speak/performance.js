/** Say a line yourself, and let the chosen voice speak the recording. Shown if an engine of the studio can do so. */
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
import { get, post, postFile, reason, remove } from "../core/server.js";
import { convertingEngine, order, state } from "../core/state.js";
import { load, save } from "../core/storage.js";
import { toast } from "../core/toast.js";
import { openRecorder } from "../references/recording.js";
import { voiceOf } from "../takes/voice.js";
import { speak } from "./synthesis.js";

const KEY = "performance"; // id of the recording, kept across reloads
const PLAYER = "performance";
const RATE = 48000;
const LONGEST_S = 60;
const HINT = "Say the line as it should sound. The voice keeps your words and your timing.";

/** @type {Clip | null} */
let clip = null;
let words = ""; // of the recording, if they are known
let draw = () => {};

/** @param {HTMLElement} element */
export function mount(element) {
  const recorder = h("div.recorder", { hidden: true });
  const sources = sourceRow(recorder);
  const recording = new RecordingRow();
  element.append(
    h("section.performance", { "aria-label": "Your own performance" }, sources, recorder, recording.element),
  );
  draw = () => {
    element.hidden = !convertingEngine();
    sources.hidden = clip !== null;
    recording.element.hidden = clip === null;
    if (clip) recording.show(clip);
  };
  follow([STATE.telemetry, STATE.voice, STATE.clips, STATE.champion, STATE.champions, STATE.synthesis], () => draw());
  follow([STATE.player, STATE.playhead], () => clip && recording.show(clip));
  restore();
}

/** @param {HTMLElement} recorder  the place of the controls while the user records */
function sourceRow(recorder) {
  const upload = () => chooseFile("audio/*,.wav,.flac,.mp3,.ogg,.opus,.m4a", (file) => keep(file, file.name));
  const record = async () => {
    row.hidden = true;
    await openRecorder(recorder, { hint: HINT, longest_s: LONGEST_S, above: null, use: keep, upload });
    draw();
  };
  const row = h(
    "div.performance-row",
    {},
    h("button.quiet", { type: "button", title: HINT, onclick: record }, icon("microphone"), "Say it yourself"),
    h("button.quiet", { type: "button", title: HINT, onclick: upload }, icon("upload"), "Upload a performance"),
  );
  return row;
}

/** The recording, with the button that lets the voice speak it. */
class RecordingRow {
  constructor() {
    this.play = iconButton("play", "Play recording", toggle);
    this.waveform = new Waveform({ bar: 2, gap: 1, className: "mini" });
    this.length = h("span.readout");
    this.say = h("button.quiet", { type: "button", onclick: convert });
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

  /** @param {Clip} recording */
  show({ duration_s, peaks }) {
    this.length.textContent = seconds(duration_s);
    this.say.textContent = `Say it as ${voiceOf(order()) || "this voice"}`;
    this.say.disabled = state.synthesis !== null;
    this.words.textContent = words && `“${words}”`;
    this.words.hidden = !words;
    const plays = player.isPlaying(PLAYER);
    this.play.replaceChildren(icon(plays ? "stop" : "play"));
    this.waveform.show({ peaks, played: plays ? player.positionOf(PLAYER) / duration_s : 0, filled: 1 });
  }
}

/** Upload a recording and keep it until it is deleted. @param {Blob} file @param {string} name */
async function keep(file, name) {
  try {
    show(await postFile("/studio/clips", file, name));
    announce("Recording ready.");
  } catch (error) {
    toast(`“${name}” cannot be used. ${reason(error)}`, { failed: true });
  }
}

/** Show the recording of an earlier visit, if the studio still has it. */
async function restore() {
  const id = load(KEY);
  if (id) show(await get(`/studio/clips/${id}`).catch(() => null));
}

/** @param {Clip | null} next */
async function show(next) {
  clip = next;
  words = "";
  save(KEY, clip?.id ?? "");
  draw();
  if (!clip || !state.recogniser) return;
  // Without words, the take is spoken all the same; its words are then not checked.
  const heard = await post(`/studio/clips/${clip.id}/transcribe`, { start_s: 0, end_s: clip.duration_s }).catch(
    () => null,
  );
  if (!heard || clip !== next) return;
  words = heard.transcript;
  draw();
}

async function toggle() {
  if (player.isPlaying(PLAYER)) return player.stop();
  const path = `/studio/clips/${clip?.id}/audio.wav`;
  return attempt(async () => player.play(PLAYER, await loadTrack(path, RATE)));
}

/** Speak the recording in the chosen voice. */
function convert() {
  const engine = convertingEngine();
  if (!clip || !engine) return null;
  player.stop();
  const wanted = { ...order(engine.name), text: words, performance: clip.id };
  return speak(wanted, { fresh: true, retry: convert });
}

/** Delete the recording; this can be undone. */
async function discard() {
  const old = clip;
  if (!old) return;
  player.stop();
  await attempt(async () => {
    await remove(`/studio/clips/${old.id}`);
    show(null);
    const back = () => attempt(async () => show(await post(`/studio/clips/${old.id}/restore`)));
    toastDeletion("Recording deleted.", { words: "delete the recording", back });
  });
}
