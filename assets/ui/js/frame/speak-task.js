/** The take of the Speak page in the strip of all other pages: progress and Stop. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { isBlind, page } from "../core/pages.js";
import { state } from "../core/state.js";
import { plainWords, progressWords } from "../speak/status.js";
import { stop } from "../speak/synthesis.js";
import { Task } from "./task.js";

export function speakTask() {
  const button = h(
    "button.quiet.small",
    { type: "button", "aria-label": "Stop the Speak take", onclick: stop },
    "Stop",
  );
  const task = new Task("Speak take", () => {}, [button]);
  follow([STATE.synthesis, STATE.telemetry, STATE.page, STATE.blind], () => {
    const { synthesis } = state;
    if (!synthesis || page() === "speak") return task.draw(null); // the Speak page has its own status bar
    const words = isBlind() ? plainWords(synthesis) : progressWords(synthesis);
    return task.draw({ words: `Speak: ${words}`, share: synthesis.progress, hint: "Open Speak" });
  });
  return task.element;
}
