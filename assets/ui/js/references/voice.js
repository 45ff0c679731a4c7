/** The voice card: the chosen champion, or the chosen clip and its part. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { Waveform } from "../audio/waveform.js";
import { speakerCard, speakWith } from "../champions/speaker.js";
import { follow, on } from "../core/bus.js";
import { announce, byId, h, icon, iconButton } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { seconds, titled } from "../core/format.js";
import { attempt } from "../core/login.js";
import { state } from "../core/state.js";
import { bringClip, chooseClip, discardClip, moveWindow } from "./clips.js";
import { RangePicker } from "./range.js";
import { openRecorder } from "./recording.js";
import { SentenceToRead } from "./sentences.js";

/** @typedef {ReturnType<typeof head> & ReturnType<typeof controls> & {waveform: Waveform, range: RangePicker}} Parts */

const CLIP_RATE = 48000; // sample rate for clips
const LONGEST_RECORDING_S = 120;
const CHAMPION = "champion "; // prefix of a champion's value in the picker; clip ids contain no space

/** @param {HTMLElement} element */
export function mount(element) {
  const card = h("div.voice");
  element.append(card);
  const waveform = new Waveform({ bar: 2, gap: 2, className: "tall" });
  const range = new RangePicker(waveform, moveWindow);
  const parts = { waveform, range, ...head(), ...controls() };
  card.append(parts.bar, parts.head, speakerCard(), range.element, parts.controls, parts.recorder);
  follow([STATE.voice, STATE.clips, STATE.champion, STATE.champions, STATE.player], () => draw(parts));
  follow(STATE.playhead, () => drawPlayhead(waveform));
  on(EVENT.reveal, (field) => field === "transcript" && unfold(parts.bar, true));
}

/** Return title and picker; on a phone also a bar that unfolds the card. */
function head() {
  const onchange = () => {
    choose(picker.value);
  };
  const picker = h("select.picker", { "aria-label": "Voice", onchange });
  const mini = new Waveform({ bar: 2, gap: 1, className: "mini" });
  const name = h("span.bar-name");
  const toggle = () => {
    unfold(bar, bar.getAttribute("aria-expanded") !== "true");
  };
  const bar = h(
    "button.voice-bar",
    { type: "button", "aria-expanded": "false", onclick: toggle },
    h("span.bar-label", {}, "Voice"),
    name,
    mini.element,
    icon("down"),
  );
  const head = h("div.panel-head", {}, h("h2", {}, "Voice"), h("div.select", {}, picker, icon("down")));
  return { picker, mini, name, bar, head };
}

/** @param {string} value */
function choose(value) {
  if (value.startsWith(CHAMPION)) speakWith(value.slice(CHAMPION.length));
  else chooseClip(value);
}

/** @param {HTMLElement} bar @param {boolean} open */
function unfold(bar, open) {
  byId("voice-panel").classList.toggle("open", open);
  bar.setAttribute("aria-expanded", String(open));
}

function controls() {
  const play = iconButton("play", "Play selected part", playWindow);
  const length = h("span.readout");
  const part = iconButton("next", "Select another suitable part of the clip", nextPart);
  const trash = iconButton("trash", "Delete clip", discardClip);
  const file = filePicker();
  const choose = () => file.click();
  on(EVENT.chooseClip, choose);
  const upload = h("button.quiet", { type: "button", onclick: choose }, icon("upload"), "Upload clip");
  const recorder = h("div.recorder", { hidden: true });
  const open = () => {
    const read = new SentenceToRead();
    return openRecorder(recorder, {
      hint: "Stay close to the microphone. Record 3 to 12 seconds.",
      longest_s: LONGEST_RECORDING_S,
      above: read.element,
      use: (clip, name) => bringClip(clip, name, read.words),
      upload: choose,
      uploadTitle: "Upload clip",
    });
  };
  const record = h("button.quiet", { type: "button", onclick: open }, icon("microphone"), "Record clip");
  const controls = h(
    "div.voice-controls",
    {},
    h("div.voice-part", {}, play, length, part, trash),
    h("div.voice-sources", {}, upload, record, file),
  );
  return { play, length, part, trash, recorder, controls };
}

function filePicker() {
  const onchange = () => {
    if (file.files) bringClip(file.files[0]);
    file.value = "";
  };
  const accept = "audio/*,.wav,.flac,.mp3,.ogg,.opus,.m4a";
  const file = h("input", { type: "file", accept, "aria-label": "Upload clip", hidden: true, onchange });
  return file;
}

/** @param {Parts} parts */
function draw({ waveform, range, picker, mini, name, play, length, part, trash }) {
  fill(picker);
  const { voice } = state;
  if (!voice) return;
  const { clip, start_s, end_s } = voice;
  /** @type {[number, number]} */
  const chosen = [start_s / clip.duration_s, end_s / clip.duration_s];
  waveform.show({ peaks: clip.peaks, window: chosen, played: 0 });
  mini.show(state.champion ? { peaks: state.champion.peaks, window: null } : { peaks: clip.peaks, window: chosen });
  range.show(voice);
  name.textContent = picker.selectedOptions[0].textContent;
  length.replaceChildren(h("strong", {}, seconds(end_s - start_s)), ` of ${seconds(clip.duration_s)}`);
  part.hidden = clip.windows.length < 2;
  trash.hidden = !state.mine.some((one) => one.id === clip.id);
  const sounds = player.isPlaying(keyOf(voice));
  play.replaceChildren(icon(sounds ? "pause" : "play"));
  play.setAttribute("aria-label", sounds ? "Pause selected part" : "Play selected part");
}

/** @param {HTMLSelectElement} picker */
function fill(picker) {
  const titles = numbered([...state.samples, ...state.mine.toReversed()]);
  const option = (/** @type {Clip} */ { id, name }) => h("option", { value: id }, titles.get(id) ?? titled(name));
  const group = (/** @type {string} */ label, /** @type {HTMLElement[]} */ options) =>
    options.length ? [h("optgroup", { label }, ...options)] : [];
  const champions = state.champions.toSorted((one, other) => one.title.localeCompare(other.title));
  picker.replaceChildren(
    ...group("Samples", state.samples.map(option)),
    ...group("Your clips", state.mine.map(option)),
    ...group("Champions", champions.map(championOption)),
  );
  const chosen = state.champion ? championOption(state.champion) : state.voice && option(state.voice.clip);
  if (chosen && ![...picker.options].some((one) => one.value === chosen.value)) picker.append(chosen);
  if (chosen) picker.value = chosen.value;
}

/** @param {Champion} champion */
function championOption({ id, title }) {
  return h("option", { value: CHAMPION + id }, title);
}

/** Return the titles by clip id. Further clips with the same title get a number. @param {Clip[]} clips */
function numbered(clips) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return new Map(
    clips.map(({ id, name }) => {
      const title = titled(name);
      const count = (counts.get(title) ?? 0) + 1;
      counts.set(title, count);
      return [id, count > 1 ? `${title} (${count})` : title];
    }),
  );
}

/** @param {Waveform} waveform */
function drawPlayhead(waveform) {
  const { voice } = state;
  if (!voice || !player.isPlaying(keyOf(voice))) return;
  waveform.show({ played: (voice.start_s + player.positionOf(keyOf(voice))) / voice.clip.duration_s });
}

/** @param {Voice} voice */
function keyOf({ clip, start_s, end_s }) {
  return `clip ${clip.id} ${start_s} ${end_s}`;
}

/** Play exactly the part that the engine gets. */
async function playWindow() {
  const { voice } = state;
  if (!voice) return undefined;
  const key = keyOf(voice);
  if (player.isPlaying(key)) return player.stop();
  const path = `/studio/clips/${voice.clip.id}/audio.wav?start=${voice.start_s}&end=${voice.end_s}`;
  return attempt(async () => player.play(key, await load(path, CLIP_RATE)));
}

function nextPart() {
  if (!state.voice) return;
  const { clip, start_s } = state.voice;
  const now = clip.windows.findIndex((window) => Math.abs(window.start_s - start_s) < 0.01);
  const { start_s: from, end_s: to } = clip.windows[(now + 1) % clip.windows.length];
  moveWindow(from, to);
  announce(`Selected ${seconds(to - from)}, starting at ${seconds(from)}.`);
}
