/**
 * The parts of the page that Gradio makes room for (studio/ui/components/island.py), each with the module that draws
 * it.
 */

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

export const ISLANDS = /** @type {(keyof typeof MODULES)[]} */ (Object.keys(MODULES));

/**
 * Draw one part into the element that Gradio made for it.
 * @param {keyof typeof MODULES} name
 * @param {HTMLElement} element
 */
export async function mount(name, element) {
  (await MODULES[name]()).mount(element);
}
