/** Which page shows; the address keeps it. */
import { changed } from "./bus.js";
import { STATE } from "./events.js";

export const PAGES = {
  speak: "Speak",
  script: "Script",
  compare: "Compare",
  champions: "Champions",
  monitor: "Monitor",
};

/** @typedef {keyof typeof PAGES} PageName */

/** @returns {PageName | undefined}  undefined until one shows */
export function page() {
  return /** @type {PageName | undefined} */ (document.body.dataset.page);
}

export function showPages() {
  const show = () => {
    const named = location.hash.slice(1);
    const shown = named in PAGES ? /** @type {PageName} */ (named) : "speak";
    document.body.dataset.page = shown;
    document.title = shown === "speak" ? "Champion Voice Studio" : `${PAGES[shown]} · Champion Voice Studio`;
    scrollTo(0, 0);
    changed(STATE.page);
  };
  addEventListener("hashchange", show);
  show();
}

/** Whether the page keeps quiet about engines and settings, since a blind trial is open. */
export function isBlind() {
  return document.body.classList.contains("blind");
}
