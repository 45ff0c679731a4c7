/** Plays several sounds one after another. Stopping, or playing another sound, ends the list. */
import { changed, follow, on } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import { attempt } from "../core/login.js";
import * as player from "./player.js";

/** @import { Track } from "./tracks.js" */
/** @typedef {{key: string, load: () => Promise<Track>, begin?: () => void}} Item  `begin`: called before playback */

class Run {
  /** @param {Item[]} items */
  constructor(items) {
    this.items = items;
    this.at = -1;
    this.sounding = ""; // the key that plays; empty while the next item is loaded
  }
}

/** @type {Run | null} */
let run = null;

/** Play the items in order. @param {Item[]} items */
export function playAll(items) {
  player.stop();
  run = items.length ? new Run(items) : null;
  changed(STATE.playlist);
  return run && advance(run);
}

/** Return the number of the current item, counted from 1, and the number of items; null if no list plays. */
export function progress() {
  return run && { at: run.at + 1, count: run.items.length };
}

export function stopAll() {
  run = null;
  player.stop();
  changed(STATE.playlist);
}

/** @param {Run} mine */
async function advance(mine) {
  mine.sounding = "";
  mine.at += 1;
  const item = mine.items[mine.at];
  if (!item) return end();
  const track = await attempt(item.load);
  if (run !== mine) return undefined;
  if (!track) return end();
  item.begin?.();
  player.play(item.key, track, 0);
  mine.sounding = item.key;
  mine.items[mine.at + 1]?.load().catch(() => {}); // load the next item in advance, which keeps the pause short
  return changed(STATE.playlist);
}

function end() {
  run = null;
  changed(STATE.playlist);
}

on(EVENT.soundEnded, (key) => {
  if (run?.sounding === key) advance(run);
});
follow(STATE.player, () => {
  if (run?.sounding && player.playing() !== run.sounding) end(); // the user stopped, or another sound plays
});
