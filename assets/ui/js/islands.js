/**
 * The parts of the page that Gradio makes room for (studio/ui/components/island.py), each with the module that draws
 * it. What only one page shows is fetched and drawn when that page first shows, and lives on from then on.
 */
import * as compare from "./compare/tray.js";
import { follow } from "./core/bus.js";
import { STATE } from "./core/events.js";
import { attempt } from "./core/login.js";
import { page } from "./core/pages.js";
import { fetched } from "./core/server.js";
import * as header from "./frame/header.js";
import * as strip from "./frame/strip.js";
import * as report from "./references/report.js";
import * as voice from "./references/voice.js";
import { allPending } from "./script/pending.js";
import * as spoken from "./speak/preview.js";
import * as more from "./speak/settings.js";
import * as standing from "./speak/status.js";
import * as takes from "./takes/list.js";

/** @import { PageName } from "./core/pages.js" */
/** @typedef {Record<string, () => unknown>} Keys */
/** @typedef {{mount: (element: HTMLElement) => void, KEYS?: Keys}} Island */

/** @type {Record<string, Island>} */
const FIRST = { header, voice, report, spoken, more, standing, takes, compare, strip };
/** @type {Record<string, {of: PageName, module: () => Promise<Island>}>} */
const LATER = {
  script: { of: "script", module: () => import("./script/page.js") },
  listening: { of: "compare", module: () => import("./compare/page.js") },
  champions: { of: "champions", module: () => import("./champions/page.js") },
  monitor: { of: "monitor", module: () => import("./monitor/page.js") },
};

/** Of the pages that were drawn. @type {Map<PageName | undefined, Keys>} */
const keys = new Map();

/** Those that show. */
export function shown() {
  return [...Object.keys(FIRST), ...Object.keys(LATER).filter((name) => LATER[name].of === page())];
}

/** Keys of the page that shows; see frame/shortcuts.js. @returns {Keys | undefined} */
export function pageKeys() {
  return keys.get(page());
}

/** Draw one part into the element that Gradio made for it. @param {string} name @param {HTMLElement} element */
export function mount(name, element) {
  if (FIRST[name]) FIRST[name].mount(element);
  else whenDue(name, () => draw(name, element));
}

/**
 * When its page first shows; again where it did not come. Changes of scripts that were left here are sent at once, and
 * what became of them is said by the page.
 * @param {string} name @param {() => Promise<boolean>} act  resolves to whether it was done
 */
function whenDue(name, act) {
  const isDue = () => page() === LATER[name].of || (name === "script" && allPending().length > 0);
  let begun = false;
  follow(STATE.page, async () => {
    if (begun || !isDue()) return;
    begun = true;
    begun = await act();
  });
}

/** @param {string} name @param {HTMLElement} element */
async function draw(name, element) {
  const { of, module } = LATER[name];
  const island = await attempt(() => fetched(module()));
  island?.mount(element);
  keys.set(of, island?.KEYS ?? {});
  return Boolean(island);
}
