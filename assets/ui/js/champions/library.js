/** The champion library of the studio: load, save, duplicate, delete with undo, and import. */
import { access } from "../core/access.js";
import { emit, follow, on } from "../core/bus.js";
import { toastDeletion } from "../core/disk.js";
import { EVENT, STATE } from "../core/events.js";
import { titled } from "../core/format.js";
import { attempt } from "../core/login.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post, put, remove } from "../core/server.js";
import { currentOf, setChampion, setChampions, state } from "../core/state.js";
import { upload } from "../core/upload.js";
import { begin, uploading } from "../jobs/jobs.js";
import { firstFree, slug } from "./ids.js";

/**
 * @typedef {{as_id?: string, expected?: string}} ImportOptions  import with another id, or replace the version
 *   `expected`
 */

const EVERY_MS = 2000;
const EACH_MS = 10; // added for each champion, so that long lists are loaded less often
export const ARCHIVE = /\.(tar\.gz|tgz)$/i;

/** Return the route of a champion. @param {string} id @param {string} rest */
export function pathOf(id, rest = "") {
  return `/studio/champions/${id}${rest}`;
}

export async function loadChampions() {
  const before = state.champions;
  const told = await get("/studio/champions");
  if (state.champions === before) receive(told); // otherwise an action after the request is newer than the answer
}

/**
 * Whether the list was loaded as the owner, who gets more facts than visitors; null: unknown.
 * @type {boolean | null}
 */
let owner = null;
follow(STATE.access, () => {
  if (!access.login) return; // the login state is not loaded yet
  if (owner !== null && owner !== access.owner) loadChampions().catch(() => {});
  owner = access.owner;
});

/** Poll the list, because other users may save or delete champions. */
export function watchChampions() {
  poll({
    needed: () => ["speak", "champions"].includes(page() ?? ""),
    every: () => Math.max(EVERY_MS, EACH_MS * state.champions.length),
    look: loadChampions,
  });
}

on(EVENT.jobDone, ({ kind }) => ["import", "pull"].includes(kind) && loadChampions().catch(() => {}));

/**
 * Replace the list of champions. The chosen champion is updated to its newest version, or cleared if it was deleted.
 * @param {Champion[]} champions  the complete list from the server
 */
function receive(champions) {
  const { champion } = state;
  if (JSON.stringify(champions) === JSON.stringify(state.champions)) return;
  const before = new Map(state.champions.map(({ id, version }) => [id, version]));
  const followed = champion && before.get(champion.id) === champion.version;
  setChampions(champions);
  if (followed) setChampion(currentOf(champion.id));
  for (const { id, version } of champions)
    if (before.has(id) && before.get(id) !== version) emit(EVENT.championChanged, id);
}

/** Add or replace a saved champion in the list. @param {Champion} champion */
function received(champion) {
  receive([champion, ...state.champions.filter((other) => other.id !== champion.id)]);
  return champion;
}

/**
 * Save a take's voice as a champion. Throws Refusal.
 * @param {string} take @param {ChampionFacts} champion @param {string} expected  the version that it replaces, if any
 */
export async function keep(take, champion, expected = "") {
  return received(await post("/studio/champions", { take, champion, expected }));
}

/**
 * Save edited facts of a champion. Throws Refusal.
 * @param {ChampionFacts} champion @param {string} expected  the version that was edited
 */
export async function edit(champion, expected) {
  return received(await put(pathOf(champion.id), { expected, champion }));
}

/** Copy a champion under another id. Throws Refusal. @param {string} id @param {string} as_id */
export async function duplicate(id, as_id) {
  return received(await post(pathOf(id, "/duplicate"), { as_id }));
}

/** Make an older version the current one. Throws Refusal. @param {Champion} older @param {string} expected */
export async function revert({ id, version }, expected) {
  return received(await post(pathOf(id, "/revert"), { version, expected }));
}

/**
 * Set another portrait; null removes the portrait. Throws Refusal.
 * @param {Champion} champion @param {File | null} picture
 */
export async function setPortrait({ id, version }, picture) {
  const path = pathOf(id, `/portrait?expected=${version}`);
  return received(picture ? await upload(path, picture, { method: "PUT" }) : await remove(path));
}

/** Save attached weights as a new version of their champion. @param {string} attachment */
export async function keepWeights(attachment) {
  return received(await post(`/studio/attachments/${attachment}/keep`));
}

/** Delete a champion; this can be undone. @param {Champion} champion */
export function discard({ id, title }) {
  return attempt(async () => {
    await remove(pathOf(id));
    receive(state.champions.filter((other) => other.id !== id));
    toastDeletion("Champion deleted.", { words: `delete ${titled(title)}`, back: () => bringBack(id) });
  });
}

/** @param {string} id */
function bringBack(id) {
  return attempt(async () => {
    received(await post(pathOf(id, "/restore")));
    await loadChampions(); // restores its place in the list
  });
}

/** Import an archive. @param {File} file @param {ImportOptions} how */
export function importFile(file, how = {}) {
  const path = `/studio/champions/import?${new URLSearchParams({ name: file.name, ...how })}`;
  return begin(() =>
    uploading({ kind: "import", champion: how.as_id, name: file.name }, (onprogress, signal) =>
      upload(path, file, { onprogress, signal }),
    ),
  );
}

/**
 * Upload weights to be checked. The owner can listen to them before saving.
 * @param {Champion} champion @param {File} file
 */
export function attach({ id }, file) {
  const path = pathOf(id, `/weights?${new URLSearchParams({ name: file.name })}`);
  return begin(() =>
    uploading({ kind: "attach", champion: id, name: file.name }, (onprogress, signal) =>
      upload(path, file, { onprogress, signal }),
    ),
  );
}

/** Return an id made from a name that no champion or sample has. @param {string} name */
export function proposedId(name) {
  return freeId(slug(name) || "champion");
}

/** Return the id; if a champion or sample has it, with a number added. @param {string} id */
export function freeId(id) {
  return firstFree(id, new Set([...state.champions.map((one) => one.id), ...state.samples.map(({ name }) => name)]));
}
