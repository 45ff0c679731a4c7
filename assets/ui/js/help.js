/** The keys, and what a newcomer should know, in a dialog. */
import { h, iconButton } from "./dom.js";

const KEYS = [
  ["Ctrl Enter", "Speak"],
  ["Esc", "Stop"],
  ["Space", "Play or pause the selected take"],
  ["J  K", "Next take, previous take"],
  ["S", "Star"],
  ["R", "Re-roll with a new seed"],
  ["C", "Compare"],
  ["X", "Switch between A and B"],
  ["?", "This list"],
];

let dialog = null;

export function openHelp() {
  dialog ??= document.body.appendChild(made());
  if (!dialog.open) dialog.showModal();
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
    h(
      "dl",
      {},
      ...KEYS.map(([key, does]) =>
        h("div", {}, h("dt", {}, ...key.split("  ").flatMap((one) => [h("kbd", {}, one), " "])), h("dd", {}, does)),
      ),
    ),
    h("p.hint", {}, "Keys work while you are not typing. Clone only voices whose owners agreed to it."),
  );
  box.addEventListener("click", (event) => event.target === box && box.close());
  return box;
}
