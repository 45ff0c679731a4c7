/** Buttons for the words that the recogniser is not sure of. A button selects its word in the transcript. */
import { follow, on } from "../core/bus.js";
import { announce, h, iconButton } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { state } from "../core/state.js";

/** @typedef {{word: string, at: number}} Doubt  `at`: position of the word in the recognised transcript */

const EDGES = /^[\s"'“”.,;:!?…]+|[\s"'“”.,;:!?…]+$/g;

/** @type {Doubt[]} */
let doubts = [];
/** @type {Voice | null} */
let about = null;
/** @type {HTMLElement} */
let element;

/** Return the list of buttons, to put below the transcript. */
export function doubtList() {
  element = h("div.doubts", { role: "group", "aria-label": "Words to check", hidden: true });
  on(EVENT.field, (name) => name === "transcript" && draw());
  follow(STATE.voice, draw);
  return element;
}

/**
 * Show buttons for the uncertain words of the transcript that was just written into the field.
 * @param {HeardWord[]} words
 */
export function offer(words) {
  about = state.voice;
  doubts = [];
  let at = 0;
  for (const { word, sure } of words) {
    const bare = word.replace(EDGES, "");
    if (!sure && bare) doubts.push({ word: bare, at: at + word.indexOf(bare) });
    at += word.length + 1;
  }
  draw();
  const count = doubts.length;
  if (count) announce(count > 1 ? `${count} words to check.` : "1 word to check.");
}

function dismiss() {
  doubts = [];
  draw();
  fields.focus("transcript");
}

/** Draw the buttons. A word that is not in the field any more was corrected, so it has no button. */
function draw() {
  const open = about === state.voice ? doubts.filter((doubt) => placeOf(doubt) >= 0) : [];
  const focused = element.contains(document.activeElement);
  element.hidden = !open.length;
  if (element.hidden && focused) fields.focus("transcript");
  element.replaceChildren(
    h("span", {}, open.length > 1 ? "Check these words:" : "Check this word:"),
    ...open.map((doubt) => h("button.quiet.small", { type: "button", onclick: () => choose(doubt) }, doubt.word)),
    iconButton("close", "Hide words to check", dismiss),
  );
}

/** @param {Doubt} doubt */
function choose(doubt) {
  const place = placeOf(doubt);
  fields.focus("transcript");
  fields.input("transcript").setSelectionRange(place, place + doubt.word.length);
}

/** Return the position of the occurrence nearest to the original position; -1 if there is none. @param {Doubt} doubt */
function placeOf({ word, at }) {
  const text = fields.text("transcript");
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}(?![\\p{L}\\p{N}])`, "gu");
  const places = [...text.matchAll(whole)].map(({ index }) => index);
  return places.toSorted((one, other) => Math.abs(one - at) - Math.abs(other - at))[0] ?? -1;
}

/** @param {string} word */
function escaped(word) {
  return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
