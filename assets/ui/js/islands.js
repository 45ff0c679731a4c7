/**
 * The parts of the page that Gradio makes room for (studio/ui/components/island.py), each with the module that draws
 * it. What one page alone shows is fetched and drawn when that page first shows, and stays.
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

/** Those of pages are the ones called page.js (studio/ui/assets.py). @type {Record<string, () => Promise<Island>>} */
const MODULES = {
  header: () => import("./frame/header.js"),
  voice: () => import("./references/voice.js"),
  report: () => import("./references/report.js"),
  spoken: () => import("./speak/preview.js"),
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

const AGAIN_MS = 1000; // after a part that did not come

/** Of pages that were drawn. @type {Map<PageName | undefined, Keys>} */
const keys = new Map();

/** Names of those that show. */
export function shown() {
  return Object.keys(MODULES).filter((name) => (PAGE_OF[name] ?? page()) === page());
}

/** Keys of the page that shows; see frame/shortcuts.js. */
export function pageKeys() {
  return keys.get(page());
}

/**
 * Draw one part into the element that Gradio made for it, once it is due. A part that did not come is asked for again.
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

/** The Script page also says what becomes of changes that were left here, which are sent at once. @param {string} name */
function isDue(name) {
  return shown().includes(name) || (name === "script" && allPending().length > 0);
}

/** Resolves to whether it came. @param {string} name @param {HTMLElement} element */
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
