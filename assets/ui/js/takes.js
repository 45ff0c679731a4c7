/** The takes of this browser, newest first, with what is being made on top. */
import { emit, follow } from "./bus.js";
import { exportMenu } from "./export.js";
import { h, icon } from "./dom.js";
import { LiveRow } from "./live.js";
import * as fields from "./fields.js";
import { page } from "./pages.js";
import { get, post, remove } from "./server.js";
import { select, setTakes, state, takeOf } from "./state.js";
import { TakeRow } from "./take.js";
import { toast } from "./toast.js";

const rows = new Map(); // id -> TakeRow

export function mount(element) {
  const count = h("span.count");
  const list = h("ol.take-list", { "aria-label": "Takes, newest first" });
  const live = new LiveRow();
  const empty = nothingYet();
  const menu = exportMenu();
  element.append(
    h(
      "section.takes",
      { "aria-labelledby": "takes-title" },
      h("div.panel-head", {}, h("h2", { id: "takes-title" }, "Takes ", count), menu),
      empty,
      live.element,
      list,
    ),
  );
  const draw = () => {
    drawRows(list);
    count.textContent = state.takes.length || "";
    menu.hidden = !state.takes.length;
    empty.hidden = state.takes.length > 0 || Boolean(state.performance);
  };
  follow(["takes", "performance"], draw);
  follow(["selected", "compare"], () => rows.forEach((row) => row.mark()));
  follow("player", () => rows.forEach((row) => row.drawPlayer()));
  follow("playhead", () => rows.forEach((row) => row.drawPlayhead()));
  document.addEventListener("visibilitychange", lookAgain);
  follow("page", lookAgain);
}

function nothingYet() {
  return h(
    "div.empty",
    {},
    h("p", {}, "Every take you make lands here: listen, compare, keep the best."),
    h("button.quiet", { type: "button", onclick: () => fields.input("script").focus() }, icon("words"), "Write a line"),
  );
}

export async function loadTakes() {
  setTakes(await get("/studio/takes"));
}

/** Another tab may have made or deleted some meanwhile. */
async function lookAgain() {
  if (document.hidden || state.performance || page() !== "speak" || !document.body.dataset.ready) return;
  const takes = await get("/studio/takes").catch(() => null);
  if (takes && JSON.stringify(takes) !== JSON.stringify(state.takes)) setTakes(takes);
}

/** Keep the rows that stay, so that focus and playheads stay with them. */
function drawRows(list) {
  const there = new Set(state.takes.map((take) => take.id));
  for (const [id, row] of rows) {
    if (there.has(id)) continue;
    row.element.remove();
    rows.delete(id);
  }
  state.takes.forEach((take, place) => {
    if (!rows.has(take.id)) rows.set(take.id, new TakeRow(take));
    const row = rows.get(take.id);
    row.update(take);
    if (list.children[place] !== row.element) list.insertBefore(row.element, list.children[place] ?? null);
  });
}

export async function star(id, starred = !takeOf(id).starred) {
  await changing(async () => put(await post(`/studio/takes/${id}/star`, { starred })));
}

function put(take) {
  setTakes(state.takes.map((other) => (other.id === take.id ? take : other)));
}

/** Delete with a way back. */
export async function discard(id) {
  const place = state.takes.findIndex((take) => take.id === id);
  await changing(async () => {
    await remove(`/studio/takes/${id}`);
    setTakes(state.takes.filter((take) => take.id !== id));
    emit("discarded", id);
    const next = state.takes[Math.min(place, state.takes.length - 1)];
    if (state.selected === id) select(next?.id ?? null);
    toast("Take deleted.", { action: "Undo", onaction: () => bringBack(id, place) });
  });
}

async function bringBack(id, place) {
  await changing(async () => {
    const take = await post(`/studio/takes/${id}/restore`);
    setTakes(state.takes.toSpliced(place, 0, take));
    select(id);
  });
}

async function changing(work) {
  try {
    await work();
  } catch (error) {
    toast(error.message, { failed: true });
  }
}

/** J and K: the next or the one before. */
export function step(by) {
  const now = state.takes.findIndex((take) => take.id === state.selected);
  const next = state.takes[now < 0 ? 0 : Math.min(Math.max(now + by, 0), state.takes.length - 1)];
  if (!next) return;
  select(next.id);
  rows.get(next.id).element.scrollIntoView({ block: "nearest" });
  rows.get(next.id).element.focus({ preventScroll: true });
}

export function selectedRow() {
  return rows.get(state.selected) ?? null;
}
