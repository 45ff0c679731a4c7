/** The tray: two takes that play together. One of them is audible; a click switches without a gap. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { Waveform } from "../audio/waveform.js";
import { changed, follow, on } from "../core/bus.js";
import { announce, h, icon, iconButton } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { seconds } from "../core/format.js";
import { attempt } from "../core/login.js";
import { fetched, get } from "../core/server.js";
import { select, takeOf } from "../core/state.js";
import { audioOf } from "../takes/takes.js";
import { amplitudes } from "./levels.js";

const SIDES = ["A", "B"];
const PLAY = "Play (X switches between A and B)";
/** Ids of at most two takes. @type {string[]} */
const chosen = [];
/** Loudness by take id; null for silence. @type {Map<string, number | null>} */
const loudness_lufs = new Map();
let heard = 0; // index of the audible take in `chosen`
let matched = true; // whether the louder take is lowered
/** @type {HTMLElement} */
let tray;
/** @type {ReturnType<typeof controls>} */
let buttons;
/** @type {ReturnType<typeof side>[]} */
let sides = [];

/** @param {HTMLElement} element */
export function mount(element) {
  tray = h("section.compare", { "aria-label": "Compare two takes", hidden: true });
  element.append(tray);
  // Other fixed elements at the bottom of the page stay above the tray, whatever its height.
  const tall = () => document.body.style.setProperty("--tray", `${tray.offsetHeight}px`);
  new ResizeObserver(tall).observe(tray);
  follow([STATE.player, STATE.takes], draw);
  follow(STATE.playhead, drawPlayheads);
  on(EVENT.discarded, takeOut);
}

/** @param {string} id */
export function isInTray(id) {
  return chosen.includes(id);
}

/** Return true if the tray contains two takes. */
export function isComparing() {
  return chosen.length === 2;
}

/** Add a take to the tray, or remove it. A third take replaces the second. @param {string} id */
export function toggleCompare(id) {
  if (isInTray(id)) return takeOut([id]);
  chosen.splice(Math.min(chosen.length, 1), 1, id);
  rearrange();
}

/** @param {string[]} ids */
function takeOut(ids) {
  if (!ids.some(isInTray)) return;
  const left = chosen.filter((id) => !ids.includes(id));
  chosen.splice(0, chosen.length, ...left);
  player.stop();
  rearrange();
}

function rearrange() {
  heard = chosen.length - 1;
  announce(isComparing() ? "Two takes to compare. Press X to switch between A and B." : "");
  rebuild();
  changed(STATE.tray);
}

function close() {
  player.stop();
  chosen.length = 0;
  rebuild();
  changed(STATE.tray);
}

/** Begin a blind trial of the two takes. The tray closes, because its letters may differ from the trial's. */
async function goBlind() {
  const compare = await attempt(() => fetched(import("./page.js")));
  if (await compare?.compareBlind(chosen[0], chosen[1])) close();
}

function rebuild() {
  document.body.classList.toggle("comparing", chosen.length > 0);
  tray.hidden = !chosen.length;
  sides = chosen.map(side);
  buttons = controls();
  const missing = h("p.side.missing", {}, "Choose a second take with ", icon("compare"), " to compare.");
  tray.replaceChildren(
    buttons.play,
    ...sides.map(({ element }) => element),
    ...(isComparing() ? [buttons.match, buttons.blind] : [missing]),
    iconButton("close", "Close comparison", close),
  );
  draw();
}

function controls() {
  const play = iconButton("play", PLAY, toggle, { disabled: !isComparing() });
  play.classList.add("play");
  const match = h(
    "button.quiet.match",
    {
      type: "button",
      onclick: toggleMatch,
      "aria-label": "Match loudness",
      title: "Makes the louder take quieter, because a louder take often seems better",
    },
    icon("equal"),
    h("span", {}, "Match loudness"),
  );
  const blind = h(
    "button.quiet.blind-too",
    { type: "button", onclick: goBlind, title: "Listen without names, then vote" },
    "Compare blind",
  );
  return { play, match, blind };
}

/** @param {string} id @param {number} place */
function side(id, place) {
  const take = takeOf(id);
  const waveform = new Waveform({ bar: 2, gap: 1 }).show({ peaks: take.peaks });
  const level = h("span.fact");
  const fact = (/** @type {string} */ words) => h("span.fact", {}, words);
  const element = h(
    "button.side",
    { type: "button", onclick: () => switchTo(place) },
    h("span.letter", {}, SIDES[place]),
    waveform.element,
    h("span.facts", {}, fact(`seed ${take.order.seed}`), fact(seconds(take.duration_s)), level),
  );
  attempt(() => showLoudness(id, level));
  return { id, element, waveform, take };
}

/**
 * Show the loudness of a take. It is loaded only here, because only the tray needs it.
 * @param {string} id @param {HTMLElement} element
 */
async function showLoudness(id, element) {
  const known = loudness_lufs.get(id);
  const level = known === undefined ? (await get(`/studio/takes/${id}/loudness`)).loudness_lufs : known;
  element.textContent = level === null ? "silent" : `${level.toFixed(1).replace("-", "−")} LUFS`;
  element.title = "Integrated loudness (BS.1770)";
  loudness_lufs.set(id, level);
  if (isPlaying()) player.switchTo(chosen[heard], levels());
}

/** Switch to a side, by default the other one; if nothing plays, start the comparison. */
export function switchTo(place = 1 - heard) {
  if (place >= chosen.length) return;
  heard = place;
  select(chosen[place]);
  if (isPlaying()) player.switchTo(chosen[place], levels());
  else if (isComparing()) start();
  announce(`Playing ${SIDES[place]}.`);
  draw();
}

/** Return the amplitudes by take id. */
function levels() {
  const measured = chosen.map((id) => loudness_lufs.get(id) ?? null);
  const gains = matched ? amplitudes(measured) : measured.map(() => 1);
  return Object.fromEntries(chosen.map((id, place) => [id, gains[place]]));
}

function toggleMatch() {
  matched = !matched;
  if (isPlaying()) player.switchTo(chosen[heard], levels());
  draw();
}

function isPlaying() {
  return isComparing() && chosen.every(player.isPlaying);
}

export function toggle() {
  if (isPlaying()) player.stop();
  else start();
}

/** Play both takes in one audio context, from the same sample. */
async function start() {
  const takes = chosen.map(takeOf);
  const rate = Math.max(...takes.map((take) => take.sample_rate));
  await attempt(async () => {
    const tracks = await Promise.all(takes.map((take) => load(audioOf(take), rate)));
    const gains = levels();
    const parts = tracks.map((track, place) => ({ key: chosen[place], track, level: gains[chosen[place]] }));
    player.playPair(parts, chosen[heard]);
  });
}

function draw() {
  if (!buttons) return;
  sides.forEach(({ element }, place) => {
    element.classList.toggle("heard", place === heard);
    element.setAttribute("aria-pressed", String(place === heard));
  });
  buttons.match.setAttribute("aria-pressed", String(matched));
  buttons.play.replaceChildren(icon(isPlaying() ? "pause" : "play"));
  for (const name of ["aria-label", "title"]) buttons.play.setAttribute(name, isPlaying() ? "Pause" : PLAY);
  drawPlayheads();
}

function drawPlayheads() {
  for (const { id, waveform, take } of sides)
    waveform.show({ played: isPlaying() ? player.positionOf(id) / take.duration_s : 0 });
}
