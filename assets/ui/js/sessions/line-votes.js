/** The lines of a session: for each line the votes and a button that plays the take of each arm. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { follow } from "../core/bus.js";
import { h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { attempt } from "../core/login.js";
import { pathOf } from "./sessions.js";
import { lineWords } from "./words.js";

const RATE = 48_000;

/** @param {ListeningSession} session @param {SessionResults} results */
export function lineList({ id, plan, made, takes }, { lines }) {
  const rows = plan.lines.map((text, line) => {
    const arms = plan.arms.map((arm, at) => {
      const words = lineWords(plan.method, lines[line]?.votes ?? [], at);
      const path = `${pathOf(id, `/sounds/${at}/${line}.wav`)}?of=${digest(text + JSON.stringify(arm))}`;
      const name = `${arm.name}, line ${line + 1}`;
      const button = soundButton(path, name, made < takes);
      return h("li", {}, button, h("span", {}, arm.name), h("span.hint", {}, words));
    });
    return h("li", {}, h("p", {}, text), h("ul.line-arms", {}, ...arms));
  });
  return h("ol.plain-rows", {}, ...rows);
}

/** @param {string} path @param {string} name @param {boolean} disabled */
function soundButton(path, name, disabled) {
  const toggle = () =>
    player.isPlaying(path) ? player.stop() : attempt(async () => player.play(path, await load(path, RATE), 0));
  return drawn(iconButton("play", `Play ${name}`, toggle, { "data-sound": path, "data-of": name, disabled }));
}

/** Show whether the sound of a button plays. @param {HTMLButtonElement} button */
function drawn(button) {
  const { sound = "", of } = button.dataset;
  const plays = player.isPlaying(sound);
  const label = `${plays ? "Stop" : "Play"} ${of}`;
  if (button.getAttribute("aria-label") === label) return button;
  button.replaceChildren(icon(plays ? "stop" : "play"));
  button.setAttribute("aria-label", label);
  button.title = label;
  return button;
}

follow(STATE.player, () => {
  for (const button of document.querySelectorAll(".sessions [data-sound]"))
    drawn(/** @type {HTMLButtonElement} */ (button));
});

/** Return a short number for a text: an edited session has other takes at the same address. @param {string} text */
function digest(text) {
  let sum = 0;
  for (const character of text) sum = (31 * sum + (character.codePointAt(0) ?? 0)) % 4_294_967_296;
  return sum.toString(36);
}
