/** The voice card: which champion, or which part of which clip, and what it sounds like. */
import { follow, on } from "./bus.js";
import { chooseClip, discardClip, moveWindow, takeIn } from "./clips.js";
import { announce, h, icon, iconButton } from "./dom.js";
import * as player from "./player.js";
import { RangePicker } from "./range.js";
import { openRecorder } from "./recording.js";
import { speakWith, speakerCard } from "./speaker.js";
import { state } from "./state.js";
import { toast } from "./toast.js";
import { load } from "./tracks.js";
import { Waveform } from "./waveform.js";
import { seconds, titled } from "./words.js";

const CLIP_RATE = 48000; // of the context clips are heard at
const CHAMPION = "champion "; // begins a champion's value in the picker; clips' ids hold no space

export function mount(element) {
  const card = h("div.voice");
  element.append(card);
  const waveform = new Waveform({ bar: 2, gap: 2, className: "tall" });
  const range = new RangePicker(waveform, moveWindow);
  const parts = { waveform, range, ...head(), ...controls() };
  card.append(parts.bar, parts.head, speakerCard(), range.element, parts.controls, parts.recorder);
  follow(["voice", "clips", "champion", "champions", "player"], () => draw(parts));
  follow("playhead", () => drawPlayhead(parts));
  on("reveal", (field) => field === "transcript" && unfold(parts.bar, true));
}

/** Title and picker; on a phone, a bar that opens the rest. */
function head() {
  const picker = h("select.picker", { "aria-label": "Voice", onchange: () => choose(picker.value) });
  const mini = new Waveform({ bar: 2, gap: 1, className: "mini" });
  const name = h("span.bar-name");
  const bar = h(
    "button.voice-bar",
    { type: "button", "aria-expanded": "false", onclick: () => unfold(bar, !isUnfolded(bar)) },
    h("span.bar-label", {}, "Voice"),
    name,
    mini.element,
    icon("down"),
  );
  return {
    picker,
    mini,
    name,
    bar,
    head: h("div.panel-head", {}, h("h2", {}, "Voice"), h("div.select", {}, picker, icon("down"))),
  };
}

function choose(value) {
  if (value.startsWith(CHAMPION)) speakWith(value.slice(CHAMPION.length));
  else chooseClip(value);
}

function isUnfolded(bar) {
  return bar.getAttribute("aria-expanded") === "true";
}

function unfold(bar, open) {
  document.getElementById("voice-panel").classList.toggle("open", open);
  bar.setAttribute("aria-expanded", String(open));
}

function controls() {
  const play = iconButton("play", "Play the selected part", playWindow);
  const length = h("span.readout");
  const part = iconButton("next", "Select another good part", nextPart);
  const trash = iconButton("trash", "Delete this clip", discardClip);
  const file = h("input", {
    type: "file",
    accept: "audio/*,.wav,.flac,.mp3,.ogg,.opus,.m4a",
    "aria-label": "Upload a clip",
    hidden: true,
    onchange: () => {
      takeIn(file.files[0]);
      file.value = "";
    },
  });
  on("choose-clip", () => file.click());
  const upload = h("button.quiet", { type: "button", onclick: () => file.click() }, icon("upload"), "Upload");
  const recorder = h("div.recorder", { hidden: true });
  const record = h(
    "button.quiet",
    { type: "button", onclick: () => openRecorder(recorder) },
    icon("microphone"),
    "Record",
  );
  return {
    play,
    length,
    part,
    trash,
    recorder,
    controls: h(
      "div.voice-controls",
      {},
      h("div.voice-part", {}, play, length, part, trash),
      h("div.voice-sources", {}, upload, record, file),
    ),
  };
}

function draw({ waveform, range, picker, mini, name, play, length, part, trash }) {
  fill(picker);
  const { voice } = state;
  if (!voice) return;
  const { clip, start_s, end_s } = voice;
  const chosen = [start_s / clip.duration_s, end_s / clip.duration_s];
  waveform.show({ peaks: clip.peaks, window: chosen, played: 0 });
  mini.show(state.champion ? { peaks: state.champion.peaks, window: null } : { peaks: clip.peaks, window: chosen });
  range.show(voice);
  name.textContent = picker.selectedOptions[0].textContent;
  length.replaceChildren(h("strong", {}, seconds(end_s - start_s)), ` of ${seconds(clip.duration_s)}`);
  part.hidden = clip.windows.length < 2;
  trash.hidden = !state.mine.some((one) => one.id === clip.id);
  const sounds = player.isPlaying(key(voice));
  play.replaceChildren(icon(sounds ? "pause" : "play"));
  play.setAttribute("aria-label", sounds ? "Pause" : "Play the selected part");
}

function fill(picker) {
  const option = (clip) => h("option", { value: clip.id }, titles.get(clip.id) ?? titled(clip.name));
  const titles = numbered([...state.samples, ...state.mine.toReversed()]);
  const groups = [
    ["Samples", state.samples],
    ["Your clips", state.mine],
  ].filter(([, clips]) => clips.length);
  picker.replaceChildren(...groups.map(([label, clips]) => h("optgroup", { label }, ...clips.map(option))));
  const champions = state.champions.toSorted((one, other) => one.title.localeCompare(other.title));
  if (champions.length) picker.append(h("optgroup", { label: "Champions" }, ...champions.map(champion)));
  const { voice } = state;
  const chosen = state.champion ? champion(state.champion) : voice && option(voice.clip);
  if (chosen && ![...picker.options].some((one) => one.value === chosen.value)) picker.append(chosen);
  if (chosen) picker.value = chosen.value;
}

function champion({ id, title }) {
  return h("option", { value: CHAMPION + id }, title);
}

/** Titles by clip id; of those with one name, the later ones carry a number. */
function numbered(clips) {
  const counts = new Map();
  return new Map(
    clips.map(({ id, name }) => {
      const title = titled(name);
      counts.set(title, (counts.get(title) ?? 0) + 1);
      return [id, counts.get(title) > 1 ? `${title} (${counts.get(title)})` : title];
    }),
  );
}

function drawPlayhead({ waveform }) {
  const { voice } = state;
  if (!voice || !player.isPlaying(key(voice))) return;
  waveform.show({ played: (voice.start_s + player.positionOf(key(voice))) / voice.clip.duration_s });
}

function key({ clip, start_s, end_s }) {
  return `clip ${clip.id} ${start_s} ${end_s}`;
}

/** Hear exactly what the engine gets. */
async function playWindow() {
  const { voice } = state;
  if (player.isPlaying(key(voice))) return player.stop();
  const path = `/studio/clips/${voice.clip.id}/audio.wav?start=${voice.start_s}&end=${voice.end_s}`;
  try {
    player.play(key(voice), await load(path, CLIP_RATE));
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

function nextPart() {
  const { clip, start_s } = state.voice;
  const now = clip.windows.findIndex((window) => Math.abs(window.start_s - start_s) < 0.01);
  const { start_s: from, end_s: to } = clip.windows[(now + 1) % clip.windows.length];
  moveWindow(from, to);
  announce(`Selected ${seconds(to - from)} from ${seconds(from)} on.`);
}
