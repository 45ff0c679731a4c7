/** The keys, and what a newcomer should know, in a dialog. */

import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";

const SPEAK = [
  ["Ctrl Enter", "Speak"],
  ["Esc", "Stop"],
  ["Space", "Play or pause the selected take"],
  ["J  K", "Next take, previous take; with Shift, extend the selection"],
  ["T", "Play through the selected takes, or from here on; again: stop"],
  ["S", "Star"],
  ["R", "Re-roll with a new seed"],
  ["C", "Compare"],
  ["P", "Keep as champion"],
  ["X", "Switch between A and B"],
  ["/", "Search the takes"],
  ["Ctrl Z", "Undo, on every page; with Shift, redo"],
];
const SCRIPT = [
  ["↑  ↓  ←  →", "Move; with Shift, extend the selection"],
  ["Enter", "Edit the cell; Esc leaves it as it was"],
  ["E", "Edit the text"],
  ["A", "Add a line"],
  ["Space", "Play the line’s take"],
  ["T", "Play through the selected lines, or from here on; again: stop"],
  ["1  –  9", "Choose a take and play it"],
  ["S  H  R", "Select, hold, retake"],
  ["N", "Note on the take"],
  ["B", "Blind: hide what tells takes apart"],
  ["X", "Put the line into the selection, or out"],
  ["Ctrl A", "Select all that show"],
  ["Ctrl Enter", "Render the selection"],
  ["Ctrl Z", "Undo; with Shift, redo"],
  ["Del", "Delete lines"],
  ["/", "Find"],
];
const COMPARE = [
  ["Space", "Play, then switch sides; after the vote, play A then B"],
  ["←  →", "Hear A, hear B"],
  ["Esc", "Pause"],
  ["A  X  B", "Vote: A, no preference, B"],
  ["U", "Take the vote back"],
  ["N", "Which was which, next pair"],
];
const CHAMPIONS = [
  ["J  K", "Next champion, previous champion"],
  ["Space", "Play or pause the reference"],
  ["/", "Search"],
];

/** Once at a time: keys are deaf while a dialog is open. */
export function openHelp() {
  const note = "Keys work while you are not typing; ? shows this list. Clone only voices whose owners agreed to it.";
  const { element } = openDialog({
    title: "Keys",
    look: "help",
    body: [
      list(SPEAK),
      h("h3", {}, "Keys of the Script page"),
      list(SCRIPT),
      h("h3", {}, "Keys of the Compare page"),
      list(COMPARE),
      h("h3", {}, "Keys of the Champions page"),
      list(CHAMPIONS),
      h("p.hint", {}, note),
      h("p.hint", {}, `Champion Voice Studio ${version()}`),
    ],
  });
  element.querySelector(".sheet-body")?.setAttribute("tabindex", "0"); // longer than a screen, and scrolled by keys
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
