/** A menu of voices. It marks the selected text, or the cursor, as spoken by a voice. */
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { get } from "../core/server.js";

export function voiceMenu() {
  const menu = h("select.quiet.small.markers", { "aria-label": "Insert a voice" });
  menu.addEventListener("change", () => {
    fields.enclose("script", `[voice:${menu.value}]`, "[/voice]");
    menu.selectedIndex = 0;
  });
  const draw = async () => {
    /** @type {{id: string, name: string}[]} */
    const voices = await get("/studio/voices").catch(() => []);
    menu.hidden = !voices.length;
    menu.replaceChildren(
      h("option", { value: "" }, "Insert voice"),
      ...voices.map(({ id, name }) => h("option", { value: id }, name)),
    );
  };
  follow(STATE.champions, draw);
  draw();
  return menu;
}
