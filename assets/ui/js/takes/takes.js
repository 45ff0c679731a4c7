/** The takes of this browser: load, star, move into folders, and delete with undo. */
import * as player from "../audio/player.js";
import { emit } from "../core/bus.js";
import { toastDeletion } from "../core/disk.js";
import { EVENT } from "../core/events.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post } from "../core/server.js";
import { select, setTakes, state, takeOf } from "../core/state.js";
import { record } from "../core/undo.js";
import { filter, keepShown, shownTakes } from "./filter.js";

const EVERY_MS = 2000;
export const EACH_MS = 10; // added for each take, so that long lists are loaded less often

/** Return the route of a take's audio. @param {Take} take */
export function audioOf({ id }) {
  return `/studio/takes/${id}/audio.wav`;
}

export async function loadTakes() {
  setTakes(await get("/studio/takes"));
}

/** Load the takes. Ignore the response if the list changed during the request, or if a generation runs. Throws Refusal. */
export async function refreshTakes() {
  const before = state.takes;
  const told = await get("/studio/takes");
  const isNews = JSON.stringify(told) !== JSON.stringify(state.takes);
  // an action after the request is newer than the answer
  if (state.takes === before && !state.synthesis && isNews) setTakes(told);
}

/** Poll the takes: another tab may add or delete some, or an answer to this tab was lost. */
export function watchTakes() {
  poll({
    needed: () => page() === "speak" && !state.synthesis,
    every: () => Math.max(EVERY_MS, EACH_MS * state.takes.length),
    look: refreshTakes,
  });
}

/** Add a new take. It is moved into the folder that is shown. @param {Take} take */
export async function receive(take) {
  const { folder } = filter;
  const [placed] = (folder && (await attempt(() => put([take.id], folder)))) || [take];
  keepShown(take.id);
  setTakes([placed, ...state.takes.filter((other) => other.id !== take.id)]);
}

/** @param {string[]} ids @param {string} folder @returns {Promise<Take[]>} */
function put(ids, folder) {
  return post("/studio/takes/folder", { ids, folder });
}

/** Replace takes by their new state from the server, in place. @param {Take[]} takes */
function update(takes) {
  const now = new Map(takes.map((take) => [take.id, take]));
  setTakes(state.takes.map((take) => now.get(take.id) ?? take));
}

/** @param {string} id */
export async function star(id, starred = !takeOf(id).starred) {
  await attempt(async () => update([await post(`/studio/takes/${id}/star`, { starred })]));
}

/** Move takes into a folder; this can be undone. Throws Refusal. @param {Take[]} takes @param {string} folder */
export async function move(takes, folder) {
  const moved = await put(idsOf(takes), folder);
  update(moved);
  const where = moved[0].folder ? `“${moved[0].folder}”` : "No folder";
  const count = plural(moved.length, "take");
  record({ words: `move ${count}`, back: () => moveBack(takes) }, `${count} moved to ${where}.`);
}

/** @param {Take[]} before */
function moveBack(before) {
  return attempt(async () => {
    for (const folder of new Set(before.map((take) => take.folder)))
      update(await put(idsOf(before.filter((take) => take.folder === folder)), folder));
  });
}

/** Delete takes; this can be undone. @param {string[]} ids @param {string} why  the first sentence of the message */
export async function discard(ids, why = "") {
  await attempt(async () => {
    await remove(ids);
    const words = ids.length > 1 ? `${plural(ids.length, "take")} deleted.` : "Take deleted.";
    toastDeletion(why ? `${why} ${words}` : words, {
      words: `delete ${plural(ids.length, "take")}`,
      back: () => bringBack(ids),
      forth: () => attempt(() => remove(ids)),
    });
  });
}

/** Throws Refusal. @param {string[]} ids */
async function remove(ids) {
  await post("/studio/takes/delete", { ids });
  if (ids.includes(player.playing() ?? "")) player.stop();
  setTakes(state.takes.filter((take) => !ids.includes(take.id)));
  emit(EVENT.discarded, ids);
}

/** @param {string[]} ids */
async function bringBack(ids) {
  await attempt(async () => {
    await post("/studio/takes/restore", { ids });
    await loadTakes(); // restores their places in the list
    const back = shownTakes().find((take) => ids.includes(take.id));
    if (back) select(back.id);
  });
}

/** @param {Take[]} takes */
function idsOf(takes) {
  return takes.map(({ id }) => id);
}
