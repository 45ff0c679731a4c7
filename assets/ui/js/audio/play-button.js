/** A button that plays several sounds one after another, and stops them. Its label shows the progress. */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { progress } from "./playlist.js";

/** @param {string} title @param {() => unknown} act  starts the list, or stops it while it plays */
export function playButton(title, act) {
  const sign = h("span.play-sign", {}, icon("through"));
  const words = h("span", {}, "Play through");
  const button = h("button.quiet.small.play-through", { type: "button", title, onclick: act }, sign, words);
  follow(STATE.playlist, () => {
    const now = progress();
    words.textContent = now ? `Stop, ${now.at} of ${now.count}` : "Play through";
    sign.replaceChildren(icon(now ? "stop" : "through"));
  });
  return button;
}
