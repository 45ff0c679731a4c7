/** A menu of the markers that the chosen engine supports, such as emotions. It inserts one at the cursor. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { chosen } from "./engine.js";

export function markerMenu() {
  const menu = h("select.quiet.small.markers", { "aria-label": "Insert a marker", hidden: true });
  menu.addEventListener("change", () => {
    fields.insert("script", menu.value);
    menu.selectedIndex = 0;
  });
  follow(STATE.engine, () => {
    const known = chosen()?.info?.markers ?? [];
    menu.hidden = !known.length;
    menu.replaceChildren(
      h("option", { value: "" }, "Insert marker"),
      ...known.map((name) => h("option", { value: `(${name})` }, name)),
    );
  });
  return menu;
}
