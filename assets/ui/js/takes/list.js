/** The takes of this browser, newest first, with what is being made on top. */
import { follow } from "../core/bus.js";
import { h, icon } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { clamp } from "../core/math.js";
import { page } from "../core/pages.js";
import { get } from "../core/server.js";
import { select, setTakes, state } from "../core/state.js";
import { exportMenu } from "./export.js";
import { TakeRow } from "./row.js";
import { SynthesisRow } from "./synthesis-row.js";

/** @type {Map<string, TakeRow>} */
const rows = new Map();

/** @param {HTMLElement} element */
export function mount(element) {
  const count = h("span.count");
  const list = h("ol.take-list", { "aria-label": "Takes, newest first" });
  const making = new SynthesisRow();
  const empty = emptyState();
  const menu = exportMenu();
  element.append(
    h(
      "section.takes",
      { "aria-labelledby": "takes-title" },
      h("div.panel-head", {}, h("h2", { id: "takes-title" }, "Takes ", count), menu),
      empty,
      making.element,
      list,
    ),
  );
  follow([STATE.takes, STATE.synthesis], () => {
    drawRows(list);
    count.textContent = String(state.takes.length || "");
    menu.hidden = !state.takes.length;
    empty.hidden = state.takes.length > 0 || Boolean(state.synthesis);
  });
  /** @param {(row: TakeRow) => void} draw */
  const each = (draw) => {
    for (const row of rows.values()) draw(row);
  };
  follow([STATE.selected, STATE.tray], () => each((row) => row.mark()));
  follow(STATE.telemetry, () => each((row) => row.drawEngine()));
  follow(STATE.player, () => each((row) => row.drawPlayer()));
  follow(STATE.playhead, () => each((row) => row.drawPlayhead()));
  document.addEventListener("visibilitychange", refresh);
  follow(STATE.page, refresh);
}

function emptyState() {
  return h(
    "div.empty",
    {},
    h("p", {}, "Every take you make lands here: listen, compare, keep the best."),
    h("button.quiet", { type: "button", onclick: () => fields.input("script").focus() }, icon("words"), "Write a line"),
  );
}

/** Another tab may have made or deleted some meanwhile. */
async function refresh() {
  if (document.hidden || state.synthesis || page() !== "speak" || !document.body.dataset.ready) return;
  const takes = await get("/studio/takes").catch(() => null);
  if (takes && JSON.stringify(takes) !== JSON.stringify(state.takes)) setTakes(takes);
}

/** Keep the rows that stay, so that focus and playheads stay with them. @param {HTMLElement} list */
function drawRows(list) {
  const present = new Set(state.takes.map((take) => take.id));
  for (const [id, row] of rows) {
    if (present.has(id)) continue;
    row.element.remove();
    rows.delete(id);
  }
  state.takes.forEach((take, place) => {
    const row = rows.get(take.id) ?? new TakeRow(take);
    rows.set(take.id, row);
    row.update(take);
    if (list.children[place] !== row.element) list.insertBefore(row.element, list.children[place] ?? null);
  });
}

/** J and K: the next or the one before. @param {number} by */
export function step(by) {
  const now = state.takes.findIndex((take) => take.id === state.selected);
  const next = state.takes[now < 0 ? 0 : clamp(now + by, 0, state.takes.length - 1)];
  if (!next) return;
  select(next.id);
  const element = rows.get(next.id)?.element;
  element?.scrollIntoView({ block: "nearest" });
  element?.focus({ preventScroll: true });
}

export function selectedRow() {
  return rows.get(state.selected ?? "") ?? null;
}
