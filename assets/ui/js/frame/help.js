/** The keys, and what a newcomer should know, in a dialog. */

import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
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
  ["Space", "Play; press again to switch between A and B; after the vote: play A, then B"],
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

// The limits of studio/script/checks/likeness.py.
const LIKENESS =
  "0.75 or more: the voice matches. 0.62 to 0.75: the voice may differ. Below 0.62: the voice does not match.";

/** Once at a time: keys are deaf while a dialog is open. */
export function openHelp() {
  const note =
    "Shortcuts work when you are not typing. Press ? to open this list. Clone a voice only with its owner’s consent.";
  const { element } = openDialog({
    title: "Keyboard shortcuts",
    look: "help",
    body: [
      h("h3", {}, "Speak page"),
      list(SPEAK),
      h("h3", {}, "Script page"),
      list(SCRIPT),
      h("h3", {}, "Compare page"),
      list(COMPARE),
      h("h3", {}, "Champions page"),
      list(CHAMPIONS),
      ...likenesses(),
      h("p.hint", {}, note),
      h("p.hint", {}, `Champion Voice Studio ${version()}`),
    ],
  });
  element.querySelector(".sheet-body")?.setAttribute("tabindex", "0"); // longer than a screen, and scrolled by keys
}

/** What the figures of likeness mean, and the likeness of each engine with measured takes. */
function likenesses() {
  const measured = (state.telemetry?.engines ?? []).filter(({ likeness }) => likeness);
  const rows = measured.map(({ title, likeness }) => h("p", {}, `${title}: ${likeness}`));
  return [h("h3", {}, "Likeness of a take to the voice (Resemblyzer, 0 to 1)"), h("p", {}, LIKENESS), ...rows];
}

/** The version of the studio that made this page. */
function version() {
  return document.querySelector("meta[name=studio-version]")?.getAttribute("content") ?? "";
}

/** @param {string[][]} keys */
function list(keys) {
  const row = (/** @type {string[]} */ [key, does]) =>
    h("div", {}, h("dt", {}, ...key.split("  ").flatMap((one) => [h("kbd", {}, one), " "])), h("dd", {}, does));
  return h("dl", {}, ...keys.map(row));
}
