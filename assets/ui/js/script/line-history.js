/** The history of a line in a dialog. */
import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { moment } from "../core/format.js";
import { cellOf } from "./lines.js";
import { roles } from "./state.js";
import { current, view } from "./view.js";
import { voiceName } from "./voices.js";

/** Return the text of an event, with the name of the voice instead of its id. @param {string} what */
function withNames(what) {
  return what.replace(/^(take \d+ rendered with )(.+)$/, (_, words, voice) => words + voiceName(voice));
}

/** Show the history of the line, latest event first. */
export function openHistory() {
  const line = current();
  if (!line) return;
  const events = [...line.events].reverse();
  const rows = events.map(({ at, what }) =>
    h("li", {}, h("span.readout", {}, moment(at)), h("span", {}, withNames(what))),
  );
  const hidden = view.blind && "The history is hidden in blind mode. To see the history, turn off Blind.";
  const none = "No changes yet.";
  openDialog({
    title: `History of ${cellOf(line, roles(), "id") || "this line"}`,
    body: [hidden || !rows.length ? h("p.hint", {}, hidden || none) : h("ol.line-events", {}, ...rows)],
  });
}
