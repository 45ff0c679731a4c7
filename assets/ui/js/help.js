/** The keys, and what a newcomer should know, in a dialog. */
import { h, iconButton } from "./dom.js";

const SPEAK = [
  ["Ctrl Enter", "Speak"],
  ["Esc", "Stop"],
  ["Space", "Play or pause the selected take"],
  ["J  K", "Next take, previous take"],
  ["S", "Star"],
  ["R", "Re-roll with a new seed"],
  ["C", "Compare"],
  ["X", "Switch between A and B"],
];
const COMPARE = [
  ["Space", "Play, then switch sides"],
  ["←  →", "Hear A, hear B"],
  ["Esc", "Pause"],
  ["A  X  B", "Vote: A, no preference, B"],
  ["U", "Take the vote back"],
  ["N", "Which was which, next pair"],
];

let dialog = null;

export function openHelp() {
  dialog ??= document.body.appendChild(made());
  if (!dialog.open) dialog.showModal();
}

function list(keys) {
  const row = ([key, does]) =>
    h("div", {}, h("dt", {}, ...key.split("  ").flatMap((one) => [h("kbd", {}, one), " "])), h("dd", {}, does));
  return h("dl", {}, ...keys.map(row));
}

function made() {
  const box = h(
    "dialog.help",
    { "aria-labelledby": "help-title" },
    h(
      "div.panel-head",
      {},
      h("h2", { id: "help-title" }, "Keys"),
      iconButton("close", "Close", () => box.close()),
    ),
    list(SPEAK),
    h("h2", {}, "Keys of the Compare page"),
    list(COMPARE),
    h(
      "p.hint",
      {},
      "Keys work while you are not typing; ? shows this list. Clone only voices whose owners agreed to it.",
    ),
  );
  box.addEventListener("click", (event) => event.target === box && box.close());
  return box;
}
