/** The keys, and what a newcomer should know, in a dialog. */

import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { state } from "../core/state.js";

const SPEAK = [
  ["Ctrl Enter", "Speak"],
  ["Esc", "Stop"],
  ["Space", "Play or pause the selected take"],
  ["J  K", "Next or previous take; with Shift: extend selection"],
  ["T", "Play selected takes, or all from here; press again to stop"],
  ["S", "Star take"],
  ["R", "New take with a random seed"],
  ["C", "Add take to Compare"],
  ["P", "Keep as champion"],
  ["X", "Switch between A and B"],
  ["/", "Search takes"],
  ["Ctrl Z", "Undo on any page; with Shift: redo"],
];
const SCRIPT = [
  ["↑  ↓  ←  →", "Move; with Shift: extend selection"],
  ["Enter", "Edit cell; Esc cancels"],
  ["E", "Edit text"],
  ["A", "Add line"],
  ["Space", "Play the current take"],
  ["T", "Play selected lines, or all from here; press again to stop"],
  ["1  –  9", "Choose and play a take"],
  ["S  H  R", "Select, hold, retake"],
  ["N", "Add note to take"],
  ["B", "Blind mode: hide take details"],
  ["X", "Add line to selection, or remove it"],
  ["Ctrl A", "Select all visible lines"],
  ["Ctrl Enter", "Render selected lines"],
  ["Ctrl Z", "Undo; with Shift: redo"],
  ["Del", "Delete lines"],
  ["/", "Find lines"],
];
const COMPARE = [
  ["Space", "Play, then switch sides; after the vote: play A, then B"],
  ["←  →", "Play A, play B"],
  ["Esc", "Pause"],
  ["A  X  B", "Vote: A, no preference, B"],
  ["U", "Undo vote"],
  ["N", "Show names, then next pair"],
];
const CHAMPIONS = [
  ["J  K", "Next or previous champion"],
  ["Space", "Play or pause reference"],
  ["/", "Search champions"],
];

/** Once at a time: keys are deaf while a dialog is open. */
export function openHelp() {
  const note =
    "Shortcuts work when you are not typing. Press ? to open this list. Clone a voice only with its owner’s consent.";
  const { element } = openDialog({
    title: "Keyboard shortcuts",
    look: "help",
    body: [
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

/** How closely each engine follows a new voice, where that is measured. */
function likenesses() {
  const measured = (state.telemetry?.engines ?? []).filter(({ likeness }) => likeness);
  if (!measured.length) return [];
  const rows = measured.map(({ title, likeness }) => h("p", {}, `${title}: ${likeness}`));
  return [h("h3", {}, "Likeness to the voice (0 to 1)"), ...rows];
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
