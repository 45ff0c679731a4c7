/** The frame of the page: title and progress above the view, and a message with "Try again". */
import { h } from "./dom.js";
import { followKeys } from "./keys.js";
import { placeOf } from "./trial.js";

/** @import { State, View } from "./types.d.ts" */

const main = /** @type {HTMLElement} */ (document.getElementById("view"));
const title = h("h1");
const place = h("p.place");
const progress = h("progress", { "aria-label": "Progress", max: 1, value: 0 });
const header = h("header.top", { hidden: true }, title, place, progress);
const notice = h("div.notice", { role: "alert", hidden: true });
main.before(header);
main.after(notice);

/** @type {View | null} */
let view = null;
let locked = false;
followKeys((key) => !locked && Boolean(view?.key?.(key)));

/** Show a view instead of the present one. @param {View} next */
export function show(next) {
  view?.leave?.();
  view = next;
  main.replaceChildren(next.element);
  lock(false);
  next.focus.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** Ignore presses and keys while a request runs. @param {boolean} wanted */
export function lock(wanted) {
  if (wanted && view?.polls) return;
  locked = wanted;
  main.setAttribute("aria-busy", String(wanted));
  const section = /** @type {HTMLElement | null} */ (main.firstElementChild);
  if (section) section.inert = wanted;
}

/** Show the title and the progress. @param {State | null} state  null if there is no session */
export function head(state) {
  const counted = state !== null && state.stage !== "questions" && state.stage !== "done";
  const words = state ? placeOf(state) : "";
  header.hidden = false;
  title.textContent = state?.title ?? "Listening session";
  place.textContent = words;
  progress.hidden = !counted;
  document.title = [words, title.textContent].filter(Boolean).join(" · ");
  if (!counted) return;
  progress.max = Math.max(1, state.count);
  progress.value = state.number - 1;
  progress.setAttribute("aria-valuetext", words);
}

/** Show a message, with a button if there is something to do. @param {string} sentence @param {(() => unknown) | null} again */
export function warn(sentence, again = null) {
  const close = () => {
    hideMessage();
    again?.();
  };
  const button = h("button.quiet", { type: "button", onclick: close }, again ? "Try again" : "Close");
  notice.replaceChildren(h("p", {}, sentence), button);
  notice.hidden = false;
  if (again) button.focus();
}

/** Hide the message. */
export function hideMessage() {
  notice.hidden = true;
  notice.replaceChildren();
}
