/** Emotions and tones the chosen engine acts on, put where the cursor is. */
import { follow } from "./bus.js";
import { h } from "./dom.js";
import { chosen } from "./engine.js";
import * as fields from "./fields.js";

export function markerMenu() {
  const menu = h("select.quiet.small.markers", { "aria-label": "Insert a marker", hidden: true });
  menu.addEventListener("change", () => {
    fields.insert("script", menu.value);
    menu.selectedIndex = 0;
  });
  follow("engine", () => {
    const known = chosen()?.info?.markers ?? [];
    menu.hidden = !known.length;
    menu.replaceChildren(
      h("option", { value: "" }, "Insert marker"),
      ...known.map((name) => h("option", { value: `(${name})` }, name)),
    );
  });
  return menu;
}
