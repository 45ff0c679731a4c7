/** The tray: two takes that play together, of which one is heard; a press switches in the same instant. */
import { changed, follow, on } from "./bus.js";
import { announce, h, icon, iconButton } from "./dom.js";
import { compareBlind } from "./listening.js";
import { loudness } from "./loudness.js";
import * as player from "./player.js";
import { select, takeOf } from "./state.js";
import { toast } from "./toast.js";
import { load, samplesOf } from "./tracks.js";
import { Waveform } from "./waveform.js";
import { seconds } from "./words.js";

const SIDES = ["A", "B"];
const chosen = []; // ids of at most two takes
const loud = new Map(); // id -> LUFS
let heard = 0; // which of them
let matched = true; // the louder one is lowered to the other
let tray = null;

export function mount(element) {
  tray = { element: h("section.compare", { "aria-label": "Compare two takes", hidden: true }) };
  element.append(tray.element);
  // What else lies over the foot of the page keeps clear of the tray, whatever it holds.
  const tall = () => document.body.style.setProperty("--tray", `${tray.element.offsetHeight}px`);
  new ResizeObserver(tall).observe(tray.element);
  follow(["player", "takes"], draw);
  follow("playhead", drawPlayheads);
  on("discarded", (id) => inCompare(id) && toggleCompare(id));
}

export function inCompare(id) {
  return chosen.includes(id);
}

/** Put a take in the tray or take it out; a third one takes the place of the second. */
export function toggleCompare(id) {
  const place = chosen.indexOf(id);
  if (place >= 0) chosen.splice(place, 1);
  else chosen.splice(Math.min(chosen.length, 1), 1, id);
  if (place >= 0) player.stop();
  heard = chosen.length - 1;
  announce(chosen.length === 2 ? "Two takes to compare. Press X to switch between them." : "");
  rebuild();
  changed("compare");
}

function close() {
  player.stop();
  chosen.length = 0;
  rebuild();
  changed("compare");
}

/** The same two where nothing names them; the tray closes, since its letters are not the trial's. */
async function goBlind() {
  if (await compareBlind(...chosen)) close();
}

function rebuild() {
  document.body.classList.toggle("comparing", chosen.length > 0);
  tray.element.hidden = !chosen.length;
  tray.sides = chosen.map(side);
  tray.play = iconButton("play", "Play both, hear one", toggle, { disabled: chosen.length < 2 });
  tray.play.classList.add("play");
  tray.match = h(
    "button.quiet.match",
    {
      type: "button",
      onclick: toggleMatch,
      "aria-label": "Match loudness",
      title: "Lowers the louder one: a louder take often seems the better one",
    },
    icon("equal"),
    h("span", {}, "Match loudness"),
  );
  const blind = h(
    "button.quiet.blind-too",
    { type: "button", onclick: goBlind, title: "Hear them without knowing which is which, then vote" },
    "Compare blind",
  );
  const second =
    chosen.length < 2 &&
    h("p.side.missing", {}, "Choose a second take with ", icon("compare"), " to switch between them.");
  tray.element.replaceChildren(
    tray.play,
    ...tray.sides.map((one) => one.element),
    ...(second ? [second] : [tray.match, blind]),
    iconButton("close", "Close the comparison", close),
  );
  draw();
}

function side(id, place) {
  const take = takeOf(id);
  const waveform = new Waveform({ bar: 2, gap: 1 }).show({ peaks: take.peaks });
  const level = h("span.fact");
  const element = h(
    "button.side",
    { type: "button", onclick: () => hear(place) },
    h("span.letter", {}, SIDES[place]),
    waveform.element,
    h(
      "span.facts",
      {},
      h("span.fact", {}, `seed ${take.order.seed}`),
      h("span.fact", {}, seconds(take.duration_s)),
      level,
    ),
  );
  measure(take, level);
  return { id, element, waveform, take };
}

async function measure(take, place) {
  try {
    const track = await load(path(take), take.sample_rate);
    const level = loudness(samplesOf(track), track.rate);
    place.textContent = `${level.toFixed(1).replace("-", "−")} LUFS`;
    place.title = "Integrated loudness after BS.1770";
    loud.set(take.id, level);
    if (playingPair()) player.hear(chosen[heard], levels());
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

const path = (take) => `/studio/takes/${take.id}/audio.wav`;

/** Hear the one or the other; while nothing plays, this also begins. */
export function hear(place = 1 - heard) {
  if (place >= chosen.length) return;
  heard = place;
  select(chosen[place]);
  if (playingPair()) player.hear(chosen[place], levels());
  else if (chosen.length === 2) start();
  announce(`Hearing ${SIDES[place]}.`);
  draw();
}

/** Amplitudes that make both equally loud, by lowering the louder one. */
function levels() {
  const quietest = Math.min(...chosen.map((id) => loud.get(id) ?? Infinity));
  const level = (id) =>
    matched && Number.isFinite(quietest) ? 10 ** ((quietest - (loud.get(id) ?? quietest)) / 20) : 1;
  return Object.fromEntries(chosen.map((id) => [id, level(id)]));
}

function toggleMatch() {
  matched = !matched;
  if (playingPair()) player.hear(chosen[heard], levels());
  draw();
}

export function comparing() {
  return chosen.length === 2;
}

function playingPair() {
  return chosen.length === 2 && chosen.every(player.isPlaying);
}

export function toggle() {
  if (playingPair()) player.stop();
  else start();
}

/** Both takes in one context, begun on the same sample. */
async function start() {
  const takes = chosen.map(takeOf);
  const rate = Math.max(...takes.map((take) => take.sample_rate));
  try {
    const tracks = await Promise.all(takes.map((take) => load(path(take), rate)));
    const voices = tracks.map((track, place) => ({ key: chosen[place], track, level: levels()[chosen[place]] }));
    player.playPair(voices, chosen[heard]);
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

function draw() {
  if (!tray?.sides) return;
  tray.sides.forEach(({ element }, place) => {
    element.classList.toggle("heard", place === heard);
    element.setAttribute("aria-pressed", String(place === heard));
  });
  tray.match.setAttribute("aria-pressed", String(matched));
  const sounds = playingPair();
  tray.play.replaceChildren(icon(sounds ? "pause" : "play"));
  tray.play.setAttribute("aria-label", sounds ? "Pause" : "Play both, hear one");
  drawPlayheads();
}

function drawPlayheads() {
  if (!chosen.length) return;
  for (const { id, waveform, take } of tray.sides)
    waveform.show({ played: playingPair() ? player.positionOf(id) / take.duration_s : 0 });
}
