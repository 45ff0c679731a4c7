/** The tray: two takes that play together, of which one is heard; a press switches in the same instant. */
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
/** Ids of at most two takes. @type {string[]} */
const chosen = [];
/** By take; null for silence. @type {Map<string, number | null>} */
const loudness_lufs = new Map();
let heard = 0; // which of them
let matched = true; // the louder one is lowered to the other
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
  // What else lies over the foot of the page keeps clear of the tray, whatever it holds.
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

/** Whether two lie there. */
export function isComparing() {
  return chosen.length === 2;
}

/** Put a take in the tray or take it out; a third one takes the place of the second. @param {string} id */
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

/** The same two where nothing names them; the tray closes, since its letters are not the trial's. */
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
  const play = iconButton("play", "Play both takes", toggle, { disabled: !isComparing() });
  play.classList.add("play");
  const match = h(
    "button.quiet.match",
    {
      type: "button",
      onclick: toggleMatch,
      "aria-label": "Match loudness",
      title: "Lowers the louder take, because a louder take often seems better",
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
    { type: "button", onclick: () => hear(place) },
    h("span.letter", {}, SIDES[place]),
    waveform.element,
    h("span.facts", {}, fact(`seed ${take.order.seed}`), fact(seconds(take.duration_s)), level),
  );
  attempt(() => showLoudness(id, level));
  return { id, element, waveform, take };
}

/**
 * Only the tray needs it, so it is asked for when a take gets there.
 * @param {string} id @param {HTMLElement} element
 */
async function showLoudness(id, element) {
  const known = loudness_lufs.get(id);
  const level = known === undefined ? (await get(`/studio/takes/${id}/loudness`)).loudness_lufs : known;
  element.textContent = level === null ? "silent" : `${level.toFixed(1).replace("-", "−")} LUFS`;
  element.title = "Integrated loudness (BS.1770)";
  loudness_lufs.set(id, level);
  if (isPlaying()) player.hear(chosen[heard], levels());
}

/** Hear the one or the other; while nothing plays, this also begins. */
export function hear(place = 1 - heard) {
  if (place >= chosen.length) return;
  heard = place;
  select(chosen[place]);
  if (isPlaying()) player.hear(chosen[place], levels());
  else if (isComparing()) start();
  announce(`Playing ${SIDES[place]}.`);
  draw();
}

/** Amplitudes by take. */
function levels() {
  const measured = chosen.map((id) => loudness_lufs.get(id) ?? null);
  const gains = matched ? amplitudes(measured) : measured.map(() => 1);
  return Object.fromEntries(chosen.map((id, place) => [id, gains[place]]));
}

function toggleMatch() {
  matched = !matched;
  if (isPlaying()) player.hear(chosen[heard], levels());
  draw();
}

function isPlaying() {
  return isComparing() && chosen.every(player.isPlaying);
}

export function toggle() {
  if (isPlaying()) player.stop();
  else start();
}

/** Both takes in one context, begun on the same sample. */
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
  buttons.play.setAttribute("aria-label", isPlaying() ? "Pause" : "Play both takes");
  drawPlayheads();
}

function drawPlayheads() {
  for (const { id, waveform, take } of sides)
    waveform.show({ played: isPlaying() ? player.positionOf(id) / take.duration_s : 0 });
}
