/** The page that is shown. The hash of the address names it. */
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

/** @returns {PageName | undefined}  undefined before the first page is shown */
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

/** Show or hide the names of engines and settings, for a blind trial on the current page. @param {boolean} blind */
export function setBlind(blind) {
  document.body.classList.toggle("blind", blind);
  changed(STATE.blind);
}

/** Return true while a blind trial hides the names of engines and settings. */
export function isBlind() {
  return document.body.classList.contains("blind");
}
