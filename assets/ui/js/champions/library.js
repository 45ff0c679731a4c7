/** The champions this studio keeps: read, saved, copied, deleted with a way back, brought in as archives. */
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

/** @typedef {{as_id?: string, expected?: string}} ImportOptions  under another id, or in place of that version */

const EVERY_MS = 2000;
const EACH_MS = 10; // more for each champion: long lists are asked for less often
export const ARCHIVE = /\.(tar\.gz|tgz)$/i;

/** Where the studio keeps a champion. @param {string} id @param {string} rest */
export function pathOf(id, rest = "") {
  return `/studio/champions/${id}${rest}`;
}

export async function loadChampions() {
  const before = state.champions;
  const told = await get("/studio/champions");
  if (state.champions === before) receive(told); // an action since the request is newer than the answer
}

/** Of what was told so far: visitors are told less. @type {boolean | null} */
let owner = null;
follow(STATE.access, () => {
  if (!access.login) return; // nobody told yet
  if (owner !== null && owner !== access.owner) loadChampions().catch(() => {});
  owner = access.owner;
});

/** Somebody else may have saved or deleted some meanwhile. */
export function watchChampions() {
  poll({
    needed: () => ["speak", "champions"].includes(page() ?? ""),
    every: () => Math.max(EVERY_MS, EACH_MS * state.champions.length),
    look: loadChampions,
  });
}

on(EVENT.jobDone, ({ kind }) => ["import", "pull"].includes(kind) && loadChampions().catch(() => {}));

/**
 * Who speaks on the page speaks in the newest version, or no more.
 * @param {Champion[]} champions  all, as the server tells them
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

/** One was saved. @param {Champion} champion */
function received(champion) {
  receive([champion, ...state.champions.filter((other) => other.id !== champion.id)]);
  return champion;
}

/**
 * Keep a take's voice. Throws Refusal.
 * @param {string} take @param {ChampionFacts} champion @param {string} expected  the version whose place it takes, if any
 */
export async function keep(take, champion, expected = "") {
  return received(await post("/studio/champions", { take, champion, expected }));
}

/**
 * Save other words and facts. Throws Refusal.
 * @param {ChampionFacts} champion @param {string} expected  the version they were begun from
 */
export async function edit(champion, expected) {
  return received(await put(pathOf(champion.id), { expected, champion }));
}

/** A second one, alike but for its id. Throws Refusal. @param {string} id @param {string} as_id */
export async function duplicate(id, as_id) {
  return received(await post(pathOf(id, "/duplicate"), { as_id }));
}

/** Make an older version the current one. Throws Refusal. @param {Champion} older @param {string} expected */
export async function revert({ id, version }, expected) {
  return received(await post(pathOf(id, "/revert"), { version, expected }));
}

/** Another portrait; null takes it away. Throws Refusal. @param {Champion} champion @param {File | null} picture */
export async function setPortrait({ id, version }, picture) {
  const path = pathOf(id, `/portrait?expected=${version}`);
  return received(picture ? await upload(path, picture, { method: "PUT" }) : await remove(path));
}

/** Keep weights that were heard on trial, as a new version. @param {string} attachment */
export async function keepWeights(attachment) {
  return received(await post(`/studio/attachments/${attachment}/keep`));
}

/** Delete with a way back. @param {Champion} champion */
export function discard({ id, title }) {
  return attempt(async () => {
    await remove(pathOf(id));
    receive(state.champions.filter((other) => other.id !== id));
    toastDeletion("Champion deleted.", { words: `deletion of ${titled(title)}`, back: () => bringBack(id) });
  });
}

/** @param {string} id */
function bringBack(id) {
  return attempt(async () => {
    received(await post(pathOf(id, "/restore")));
    await loadChampions(); // where it stood
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

/** Send weights to be checked; they are heard before they are kept. @param {Champion} champion @param {File} file */
export function attach({ id }, file) {
  const path = pathOf(id, `/weights?${new URLSearchParams({ name: file.name })}`);
  return begin(() =>
    uploading({ kind: "attach", champion: id, name: file.name }, (onprogress, signal) =>
      upload(path, file, { onprogress, signal }),
    ),
  );
}

/** An id made of a name that no champion and no sample has. @param {string} name */
export function proposedId(name) {
  return freeId(slug(name) || "champion");
}

/** The id itself, or with a number where a champion or a sample has it. @param {string} id */
export function freeId(id) {
  return firstFree(id, new Set([...state.champions.map((one) => one.id), ...state.samples.map(({ name }) => name)]));
}
