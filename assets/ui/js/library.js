/** The champions this studio keeps: read, saved, copied, deleted with a way back, brought in as archives. */
import { emit, follow, on } from "./bus.js";
import { begin, uploading } from "./jobs.js";
import { attempt } from "./login.js";
import { me } from "./me.js";
import { page } from "./pages.js";
import { get, post, put, remove } from "./server.js";
import { deliver } from "./sending.js";
import { setChampion, setChampions, state } from "./state.js";
import { toast } from "./toast.js";
import { titled } from "./words.js";

export const ARCHIVE = /\.(tar\.gz|tgz)$/i;

/** Where the studio keeps a champion. */
export function at(id, rest = "") {
  return `/studio/champions/${id}${rest}`;
}

export async function loadChampions() {
  receive(await get("/studio/champions"));
}

let owner = null; // of what was told so far: visitors are told less
follow("me", () => {
  if (!me.login) return; // nobody told yet
  if (owner !== null && owner !== me.owner) loadChampions().catch(() => {});
  owner = me.owner;
});
follow("page", () => page() === "speak" && lookAgain());
document.addEventListener("visibilitychange", lookAgain);

/** Somebody else may have saved or deleted some meanwhile. */
function lookAgain() {
  const looking = !document.hidden && ["speak", "champions"].includes(page());
  if (looking && document.body.dataset.ready) loadChampions().catch(() => {});
}

on("job-done", ({ kind }) => ["import", "pull"].includes(kind) && loadChampions().catch(() => {}));

/** What the server tells of all of them. Who speaks on the page speaks in the newest version, or no more. */
function receive(champions) {
  const { champion } = state;
  if (JSON.stringify(champions) === JSON.stringify(state.champions)) return;
  const before = new Map(state.champions.map(({ id, version }) => [id, version]));
  const followed =
    champion && state.champions.some(({ id, version }) => id === champion.id && version === champion.version);
  setChampions(champions);
  if (followed) setChampion(champions.find((one) => one.id === champion.id) ?? null);
  for (const { id, version } of champions)
    if (before.has(id) && before.get(id) !== version) emit("champion-changed", id);
}

/** One was saved. */
function received(champion) {
  receive([champion, ...state.champions.filter((other) => other.id !== champion.id)]);
  return champion;
}

/** Keep a take's voice. `over` is the version whose place it takes, if any. Throws Refusal. */
export async function keep(take, champion, over = "") {
  return received(await post("/studio/champions", { take, champion, expected: over }));
}

/** Save other words and facts. `expected` is the version they were begun from. Throws Refusal. */
export async function edit(champion, expected) {
  return received(await put(at(champion.id), { expected, champion }));
}

/** A second one, alike but for its id. Throws Refusal. */
export async function duplicate(id, as_id) {
  return received(await post(at(id, "/duplicate"), { as_id }));
}

/** Make an older version the current one. Throws Refusal. */
export async function revert({ id, version }, expected) {
  return received(await post(at(id, "/revert"), { version, expected }));
}

/** Another portrait; null takes it away. Throws Refusal. */
export async function draw({ id, version }, picture) {
  const path = at(id, `/portrait?expected=${version}`);
  return received(picture ? await deliver(path, picture, { method: "PUT" }) : await remove(path));
}

/** Keep weights that were heard on trial, as a new version. */
export async function keepWeights(attachment) {
  return received(await post(`/studio/attachments/${attachment}/keep`));
}

/** Delete with a way back. */
export function discard({ id, title }) {
  return attempt(async () => {
    await remove(at(id));
    receive(state.champions.filter((other) => other.id !== id));
    toast(`${titled(title)} is deleted.`, { action: "Undo", onaction: () => bringBack(id) });
  });
}

function bringBack(id) {
  return attempt(async () => {
    received(await post(at(id, "/restore")));
    await loadChampions(); // where it stood
  });
}

/** Bring in an archive. `how` names it otherwise (`as_id`), or the version it replaces (`expected`). */
export function bring(file, how = {}) {
  const query = new URLSearchParams({ name: file.name, ...how });
  const sent = (told, signal) => deliver(`/studio/champions/import?${query}`, file, { told, signal });
  return begin(() => uploading({ kind: "import", champion: how.as_id, name: file.name }, sent));
}

/** Send weights to be looked into; they are heard before they are kept. */
export function attach({ id }, file) {
  const path = at(id, `/weights?${new URLSearchParams({ name: file.name })}`);
  return begin(() =>
    uploading({ kind: "attach", champion: id, name: file.name }, (told, signal) =>
      deliver(path, file, { told, signal }),
    ),
  );
}

/** An id made of a name, as the studio makes it, that no champion here has. */
export function proposedId(name) {
  const plain = name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .toLowerCase();
  const made = plain
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, 64)
    .replace(/[-_]+$/, "");
  return freeId(made || "champion");
}

/** The id itself, or with a number where a champion has it. */
export function freeId(id) {
  const taken = new Set(state.champions.map((one) => one.id));
  for (let count = 2, free = id; ; count += 1) {
    if (!taken.has(free)) return free;
    free = `${id.slice(0, 60)}-${count}`;
  }
}
