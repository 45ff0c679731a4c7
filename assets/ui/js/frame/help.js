/** The help dialog: shortcuts, terms and likeness values. */

import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { PAGES, page } from "../core/pages.js";
import { state } from "../core/state.js";

const SPEAK = [
  ["Ctrl Enter", "Speak"],
  ["Esc", "Stop"],
  ["Space", "Play or pause the current take"],
  ["J  K", "Next or previous take; with Shift: tick takes"],
  ["T", "Play ticked takes, or all takes from the current one; press again to stop"],
  ["S", "Star take"],
  ["R", "New take with a random seed"],
  ["C", "Add take to Compare"],
  ["P", "Keep as champion"],
  ["X", "Switch between A and B in the comparison bar"],
  ["/", "Search takes"],
  ["Ctrl Z", "Undo on any page; with Shift: redo"],
];
const SCRIPT = [
  ["↑  ↓  ←  →", "Move; with Shift: tick lines"],
  ["Enter", "Edit cell; Esc cancels"],
  ["E", "Edit text"],
  ["A", "Add line"],
  ["Space", "Play the current take"],
  ["T", "Play ticked lines, or all lines from the current one; press again to stop"],
  ["1  –  9", "Choose and play a take"],
  ["S  H  R", "Mark take: select, hold, retake"],
  ["U", "Remove mark of the take, or all marks of ticked lines"],
  ["N", "Add note to take"],
  ["B", "Blind mode: hide take details"],
  ["X", "Tick or untick line"],
  ["Ctrl A", "Tick all visible lines"],
  ["Ctrl Enter", "Render ticked lines, or the current line"],
  ["Ctrl Z", "Undo; with Shift: redo"],
  ["Del", "Delete ticked lines, or the current line"],
  ["/", "Find lines"],
];
const COMPARE = [
  ["Space", "Play; press again to switch between A and B. After the vote: play A, then B"],
  ["←  →", "Play A, play B"],
  ["Esc", "Pause"],
  ["A  X  B", "Vote: A, no preference, B"],
  ["U", "Undo vote"],
  ["N", "Show names; press again for the next pair"],
];
const CHAMPIONS = [
  ["J  K", "Next or previous champion"],
  ["Space", "Play or pause reference"],
  ["/", "Search champions"],
];

/** @import { PageName } from "../core/pages.js" */
/** @type {[PageName, string[][]][]} */
const KEYS = [
  ["speak", SPEAK],
  ["script", SCRIPT],
  ["compare", COMPARE],
  ["champions", CHAMPIONS],
];

// The limits of studio/script/checks/likeness.py.
const LIKENESS =
  "0.75 or more: the voice matches. 0.62 to 0.75: the voice may differ. Below 0.62: the voice does not match.";

// The form in which engines state it.
const FIGURES =
  /^Likeness of a take to an unseen voice: ([\d.]+) \(two clips of one voice: ([\d.]+); two voices: ([\d.]+)\)\.$/;

const TERMS = [
  ["Select", "The take that is delivered for its line. Press S to mark a take as select."],
  ["Stale", "The text, voice, engine, settings, lexicon or length of the line changed after the take was rendered."],
];

/** Open the help. Shortcuts are disabled while a dialog is open, so it opens only once. */
export function openHelp() {
  const note =
    "Shortcuts work when you are not typing. Press ? to open this list. Clone a voice only with its owner’s consent.";
  const { element } = openDialog({
    title: "Keyboard shortcuts",
    look: "help",
    body: [
      ...lists().flatMap(([name, keys]) => [h("h3", {}, `${PAGES[name]} page`), list(keys)]),
      h("h3", {}, "Terms of the Script page"),
      ...TERMS.map(([term, meaning]) => h("p", {}, h("b", {}, term), `: ${meaning}`)),
      ...likenesses(),
      h("p.hint", {}, note),
      h("p.hint", {}, `Champion Voice Studio ${version()}`),
    ],
  });
  // longer than a screen; focusable, so that keys can scroll it
  element.querySelector(".sheet-body")?.setAttribute("tabindex", "0");
}

/** Return the shortcuts of each page, the current page first. */
function lists() {
  const isHere = (/** @type {PageName} */ name) => Number(name === page());
  return KEYS.toSorted(([one], [other]) => isHere(other) - isHere(one));
}

/** Explain the likeness values, and list the measured likeness of each engine. */
function likenesses() {
  const measured = (state.telemetry?.engines ?? []).filter(({ likeness }) => likeness);
  const rows = measured.map(({ title, likeness }) => h("p", {}, `${title}: ${likenessWords(likeness)}`));
  return [h("h3", {}, "Likeness of a take to the voice (Resemblyzer, 0 to 1)"), h("p", {}, LIKENESS), ...rows];
}

/** Return the measured likeness of an engine as a sentence. @param {string} measured */
function likenessWords(measured) {
  const [, take, person, persons] = measured.match(FIGURES) ?? [];
  if (!take) return measured;
  return `likeness to a new voice ${take}. Two recordings of one person: ${person}. Two people: ${persons}.`;
}

/** Return the version of the studio that served this page. */
function version() {
  return document.querySelector("meta[name=studio-version]")?.getAttribute("content") ?? "";
}

/** @param {string[][]} keys */
function list(keys) {
  const row = (/** @type {string[]} */ [key, does]) =>
    h("div", {}, h("dt", {}, ...key.split("  ").flatMap((one) => [h("kbd", {}, one), " "])), h("dd", {}, does));
  return h("dl", {}, ...keys.map(row));
}
