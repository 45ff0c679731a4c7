/** The takes of this browser: read, starred, put into folders, deleted with a way back. */
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
const EACH_MS = 10; // more for each take: long lists are asked for less often

/** Where its sound is. @param {Take} take */
export function audioOf({ id }) {
  return `/studio/takes/${id}/audio.wav`;
}

export async function loadTakes() {
  setTakes(await get("/studio/takes"));
}

async function look() {
  const before = state.takes;
  const told = await get("/studio/takes");
  const isNews = JSON.stringify(told) !== JSON.stringify(state.takes);
  if (state.takes === before && !state.synthesis && isNews) setTakes(told); // an action since the request is newer than the answer
}

/** Another tab may have made or deleted some, or the answer to this one was lost. */
export function watchTakes() {
  poll({
    needed: () => page() === "speak" && !state.synthesis,
    every: () => Math.max(EVERY_MS, EACH_MS * state.takes.length),
    look,
  });
}

/** One was made; it lies in the folder that shows. @param {Take} take */
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

/** Takes as the server tells them now, in their places. @param {Take[]} takes */
function update(takes) {
  const now = new Map(takes.map((take) => [take.id, take]));
  setTakes(state.takes.map((take) => now.get(take.id) ?? take));
}

/** @param {string} id */
export async function star(id, starred = !takeOf(id).starred) {
  await attempt(async () => update([await post(`/studio/takes/${id}/star`, { starred })]));
}

/** Put takes into a folder, with a way back. Throws Refusal. @param {Take[]} takes @param {string} folder */
export async function move(takes, folder) {
  const moved = await put(idsOf(takes), folder);
  update(moved);
  const where = moved[0].folder ? `to “${moved[0].folder}”` : "out of the folder";
  const count = plural(moved.length, "take");
  record({ words: `move of ${count}`, back: () => moveBack(takes) }, `${count} moved ${where}.`);
}

/** @param {Take[]} before */
function moveBack(before) {
  return attempt(async () => {
    for (const folder of new Set(before.map((take) => take.folder)))
      update(await put(idsOf(before.filter((take) => take.folder === folder)), folder));
  });
}

/** Delete with a way back. @param {string[]} ids @param {string} why  the first sentence of the message */
export async function discard(ids, why = "") {
  await attempt(async () => {
    await post("/studio/takes/delete", { ids });
    if (ids.includes(player.playing() ?? "")) player.stop();
    setTakes(state.takes.filter((take) => !ids.includes(take.id)));
    emit(EVENT.discarded, ids);
    const words = ids.length > 1 ? `${plural(ids.length, "take")} deleted.` : "Take deleted.";
    toastDeletion(why ? `${why} ${words}` : words, {
      words: `deletion of ${plural(ids.length, "take")}`,
      back: () => bringBack(ids),
    });
  });
}

/** @param {string[]} ids */
async function bringBack(ids) {
  await attempt(async () => {
    await post("/studio/takes/restore", { ids });
    await loadTakes(); // where they stood
    const back = shownTakes().find((take) => ids.includes(take.id));
    if (back) select(back.id);
  });
}

/** @param {Take[]} takes */
function idsOf(takes) {
  return takes.map(({ id }) => id);
}
