/** The preview below the script: spoken form, estimated length, and buttons to insert markers and pauses. */
import { follow, on } from "../core/bus.js";
import { directionChip, partsOf } from "../core/directions.js";
import { h, icon, whenPresent } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { pauseTag, plural, seconds, sentence } from "../core/format.js";
import { post, reason } from "../core/server.js";
import { order, state } from "../core/state.js";
import { debounced } from "../core/timing.js";
import { chosen } from "./engine.js";
import { languageField } from "./language.js";
import { markerMenu } from "./markers.js";
import { voiceMenu } from "./voice-tags.js";

/** @typedef {{kind: "pause", duration_s: number} | {kind: "say", typed: string, spoken: string}} Piece */
/** @typedef {{written: string, pause_s: number | null, marker: string | null, performed: boolean}} Direction */
/**
 * @typedef {{spoken: Piece[], unsaid: string[], unsupported: string[], directions: Direction[], characters: number, estimate_s?: number,
 *   language?: string, warning?: string, error?: string}} Reading
 */

const PAUSE_S = 0.8;
let asked = 0;

/** @param {HTMLElement} element */
export function mount(element) {
  const spoken = h("p.spoken-form");
  const facts = h("p.facts");
  const pause = h(
    "button.quiet.small",
    {
      type: "button",
      title: `Insert ${pauseTag(PAUSE_S)} at the cursor`,
      onclick: () => fields.insert("script", pauseTag(PAUSE_S)),
    },
    icon("pausemark"),
    "Insert pause",
  );
  element.append(
    h("div.spoken", {}, spoken, h("div.spoken-facts", {}, facts, languageField(), voiceMenu(), markerMenu(), pause)),
  );
  // Before its fields are ready, the page contains numbers that the user did not choose.
  const soon = debounced(200, () => fields.ready.then(() => preview(spoken, facts)));
  on(EVENT.field, (name) => ["script", "transcript"].includes(name) && soon());
  for (const name of fields.SETTINGS) {
    const reread = () => chosen()?.settings[name]?.scales === "pace" && soon();
    whenPresent(`#${name}`).then((field) => field.addEventListener("input", reread)); // by slider or number field
  }
  follow([STATE.engine, STATE.voice, STATE.champion, STATE.language], () => soon());
  soon();
}

/** @param {HTMLElement} spoken @param {HTMLElement} facts */
async function preview(spoken, facts) {
  asked += 1;
  const mine = asked;
  const text = fields.text("script");
  if (!text.trim()) return show(spoken, facts, null);
  const unread = (/** @type {unknown} */ error) => ({
    spoken: [],
    unsaid: [],
    unsupported: [],
    directions: [],
    characters: text.length,
    error: reason(error),
  });
  const reading = await post("/studio/script", order()).catch(unread);
  if (mine === asked) show(spoken, facts, reading);
}

/** @param {HTMLElement} spoken @param {HTMLElement} facts @param {Reading | null} reading */
function show(spoken, facts, reading) {
  spoken.className = `spoken-form${reading?.error ? " failed" : ""}`;
  if (!reading) {
    spoken.replaceChildren("The spoken text appears here.");
    facts.textContent = "";
    return;
  }
  const { error, directions, characters, estimate_s = 0 } = reading;
  const markers = directions.flatMap(({ marker }) => (marker ? [`(${marker})`] : []));
  const dropped = directions.filter(({ performed }) => !performed);
  const silent = [...reading.unsupported, ...reading.unsaid];
  const differs =
    directions.length > 0 ||
    silent.length > 0 ||
    reading.spoken.some((piece) => piece.kind === "pause" || piece.spoken.trim() !== piece.typed.trim());
  const pieces = reading.spoken.flatMap((piece) => drawn(piece, markers, silent));
  if (error)
    spoken.replaceChildren(icon("fail"), h("span", {}, sentence(error), " ", ...(silent.length ? pieces : [])));
  else if (differs) spoken.replaceChildren(h("span.label", {}, "Spoken as"), ...pieces);
  else spoken.replaceChildren(h("span.label", {}, "Spoken as typed"));
  if (silent.length && !error) {
    const words = `${plural(silent.length, "character")} cannot be spoken: ${silent.join(" ")}`;
    spoken.prepend(h("span.unsaid", {}, words));
  }
  if (dropped.length && !error) {
    const chips = dropped.flatMap(({ written }) => [directionChip(written), " "]);
    spoken.prepend(h("span.label", {}, "Not spoken"), ...chips);
  }
  if (reading.warning && !error) spoken.prepend(h("span.warning", {}, sentence(reading.warning), " "));
  const length = error ? "" : `Estimated length: ${seconds(estimate_s)}`;
  facts.textContent = [length, plural(characters, "character"), detected(reading)].filter(Boolean).join(" · ");
}

/** Return the detected language, if the user chose none and the engine speaks several. @param {Reading} reading */
function detected({ language = "" }) {
  return !state.language && (chosen()?.languages.length ?? 0) > 1 ? language : "";
}

/**
 * Return the elements of a spoken piece or a pause. Words that are spelled out and characters that cannot be spoken are
 * marked; supported directions are chips.
 * @param {Piece} piece @param {string[]} markers @param {string[]} silent
 */
function drawn(piece, markers, silent) {
  if (piece.kind === "pause") return [h("span.pause-mark", {}, `${piece.duration_s} s pause`), " "];
  const typed = new Set(piece.typed.split(/\s+/));
  return partsOf(piece.spoken.trim(), markers).flatMap(({ text, direction }) => {
    if (direction) return [directionChip(text, "Stage direction: performed by the engine"), " "];
    return words(text).flatMap((word) => {
      const shown = marked(word, silent);
      return [...(typed.has(word) ? shown : [h("em", {}, ...shown)]), " "];
    });
  });
}

/** Return a word with marks around characters that cannot be spoken. @param {string} word @param {string[]} silent */
function marked(word, silent) {
  if (!silent.some((character) => word.includes(character))) return [word];
  return [...word].map((character) => (silent.includes(character) ? h("mark.silent", {}, character) : character));
}

/** @param {string} text */
function words(text) {
  return text.split(/\s+/).filter(Boolean);
}
