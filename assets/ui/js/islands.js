/**
 * The parts of the page for which Gradio has a placeholder (studio/ui/components/island.py), and the modules that draw
 * them. A module of a single page is loaded when the page is first shown, and stays.
 */
import { follow } from "./core/bus.js";
import { h } from "./core/dom.js";
import { STATE } from "./core/events.js";
import { sentence } from "./core/format.js";
import { page } from "./core/pages.js";
import { fetched, Refusal, reason } from "./core/server.js";
import { allPending } from "./script/pending.js";

/** @import { PageName } from "./core/pages.js" */
/** @typedef {Record<string, () => unknown>} Keys */
/** @typedef {{mount: (element: HTMLElement) => void, KEYS?: Keys}} Island */

/** The modules of pages are called page.js (studio/ui/assets.py). @type {Record<string, () => Promise<Island>>} */
const MODULES = {
  header: () => import("./frame/header.js"),
  voice: () => import("./references/voice.js"),
  report: () => import("./references/report.js"),
  design: () => import("./speak/design.js"),
  spoken: () => import("./speak/preview.js"),
  performance: () => import("./speak/performance.js"),
  more: () => import("./speak/settings.js"),
  standing: () => import("./speak/status.js"),
  takes: () => import("./takes/list.js"),
  script: () => import("./script/page.js"),
  listening: () => import("./compare/page.js"),
  champions: () => import("./champions/page.js"),
  monitor: () => import("./monitor/page.js"),
  compare: () => import("./compare/tray.js"),
  strip: () => import("./frame/strip.js"),
};
/** @type {Record<string, PageName>} */
const PAGE_OF = { script: "script", listening: "compare", champions: "champions", monitor: "monitor" };

const AGAIN_MS = 1000; // pause before a part that failed to load is loaded again

/** The shortcuts of the pages that were drawn. @type {Map<PageName | undefined, Keys>} */
const keys = new Map();

/** Return the names of the parts that are on the current page. */
export function shown() {
  return Object.keys(MODULES).filter((name) => (PAGE_OF[name] ?? page()) === page());
}

/** Return the shortcuts of the current page; see frame/shortcuts.js. */
export function pageKeys() {
  return keys.get(page());
}

/**
 * Draw a part into its element as soon as it is needed. A part that failed to load is loaded again.
 * @param {string} name @param {HTMLElement} element
 */
export function mount(name, element) {
  let begun = false;
  const begin = async () => {
    if (begun || !isDue(name)) return;
    begun = true;
    begun = await draw(name, element);
    if (!begun) setTimeout(begin, AGAIN_MS);
  };
  follow(STATE.page, begin);
  addEventListener("online", begin);
}

/**
 * Return true if a part must be drawn. Unsent changes of a script are sent at once, so the Script page is drawn to
 * report the result.
 * @param {string} name
 */
function isDue(name) {
  return shown().includes(name) || (name === "script" && allPending().length > 0);
}

/** Resolves to true if the part was loaded. @param {string} name @param {HTMLElement} element */
async function draw(name, element) {
  try {
    const island = await fetched(MODULES[name]());
    element.replaceChildren();
    island.mount(element);
    keys.set(PAGE_OF[name], island.KEYS ?? {});
    return true;
  } catch (error) {
    element.replaceChildren(h("p.hint", { role: "status" }, sentence(reason(error))));
    if (error instanceof Refusal) return false;
    throw error;
  }
}
