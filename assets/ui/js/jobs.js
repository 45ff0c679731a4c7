/** The studio's long work: packaging, bringing in, sending, fetching, looking into weights. It survives a reload. */
import { changed, emit, follow, on } from "./bus.js";
import { announce } from "./dom.js";
import { attempt } from "./login.js";
import { me } from "./me.js";
import { page } from "./pages.js";
import { get, post, remove } from "./server.js";
import { sentence } from "./words.js";

/**
 * @typedef {object} Job  as GET /studio/jobs tells it
 * @property {string} id @property {string} kind @property {string} champion @property {string} store
 * @property {"running"|"paused"|"done"|"failed"|"cancelled"} state @property {number} fraction
 * @property {string} message @property {string} error @property {boolean} resumable @property {object|null} result
 */
const EVERY_MS = 400;
export const CAME = ["import", "push", "pull"]; // kinds of work that leave nothing to take or to judge
const AGAIN_MS = 3000; // after an answer that did not come
const waiting = new Map(); // id -> who waits for its end
let told = []; // by the server
let own = []; // uploads of this page, until the server has the file
let news = 0; // counts what was told, so that an answer that was overtaken is not believed
let uploads = 0;
let watching = false;

follow("me", () => (me.owner ? lookAgain() : take([])));
follow("page", () => me.owner && lookAgain());
on("champion-changed", (id) => {
  told.filter((job) => isArchive(job) && job.champion === id).forEach(putAway);
  changed("jobs");
});

/** All work, uploads first. @returns {Job[]} */
export function jobs() {
  return [...own, ...told];
}

/** Not where a trial may be open: what work is about would say too much. */
function lookAgain() {
  if (page() !== "compare") lookAtJobs().catch(() => {});
}

export async function lookAtJobs() {
  const before = news;
  const jobs = await get("/studio/jobs");
  if (before === news) take(jobs);
  watch();
}

export function isUnderWay({ state }) {
  return state === "running" || state === "paused";
}

/** Whether it is a packaged champion, to be downloaded until there is a newer version of it. */
export function isArchive({ kind, state }) {
  return kind === "package" && state === "done";
}

/** Have the studio begin work, and follow it. Resolves to the job, or undefined where it was refused. */
export function begin(asked) {
  return attempt(async () => {
    const job = await asked();
    take([job, ...told.filter((other) => other.id !== job.id)]);
    if (!isUnderWay(job)) tellEnd(job);
    watch();
    return job;
  });
}

/** Resolves to a job once it has ended, one way or the other; null if it is no longer known. */
export function ended({ id }) {
  const job = told.find((one) => one.id === id) ?? null;
  if (!job || !isUnderWay(job)) return Promise.resolve(job);
  return new Promise((resolve) => waiting.set(id, resolve));
}

export function pause(job) {
  return tell(job, "pause");
}

export function resume(job) {
  return tell(job, "resume");
}

/** Stop what runs or put away what ended; nothing of it is shown any more. */
export function dismiss(job) {
  if (job.leave) return job.leave();
  return attempt(async () => {
    if (isUnderWay(job)) await post(`/studio/jobs/${job.id}/cancel`);
    else await forget(job);
    await lookAtJobs();
  });
}

/**
 * An upload that shows among the work while `send` runs, and can be left. Resolves to what `send` gave.
 * @param {(told: (fraction: number) => void, signal: AbortSignal) => Promise<any>} send
 */
export async function uploading({ kind, champion = "", name }, send) {
  const leaving = new AbortController();
  const job = {
    id: `upload ${(uploads += 1)}`,
    ...{ kind, champion, store: "", state: "running", fraction: 0, message: `sending ${name}`, error: "" },
    ...{ resumable: false, result: null, leave: () => leaving.abort() },
  };
  const tell = (fraction) => {
    Object.assign(job, { fraction });
    changed("jobs");
  };
  own = [job, ...own];
  tell(0);
  try {
    return await send(tell, leaving.signal);
  } finally {
    own = own.filter((one) => one !== job);
    changed("jobs");
  }
}

async function tell(job, verb) {
  await attempt(async () => {
    await post(`/studio/jobs/${job.id}/${verb}`);
    await lookAtJobs();
  });
}

async function forget({ id }) {
  await remove(`/studio/jobs/${id}`);
}

/** What the server tells. What ended while this page looked on is told to the others, once. */
function take(jobs) {
  const before = new Map(told.map((job) => [job.id, job]));
  news += 1;
  jobs.filter((job) => job.state === "cancelled").forEach(putAway);
  told = jobs.filter((job) => job.state !== "cancelled" && !isOld(job, before));
  changed("jobs");
  for (const job of told) if (before.has(job.id) && isUnderWay(before.get(job.id)) && !isUnderWay(job)) tellEnd(job);
  for (const [id, resolve] of waiting) {
    const job = told.find((one) => one.id === id) ?? null;
    if (job && isUnderWay(job)) continue;
    waiting.delete(id);
    resolve(job);
  }
}

/** By nobody's hand; another page may have done so. */
function putAway(job) {
  told = told.filter((other) => other !== job);
  forget(job).catch(() => {});
}

/** Whether something came in or went out while nobody looked on: it is where it should be. */
function isOld({ id, kind, state }, before) {
  return CAME.includes(kind) && state === "done" && !before.has(id);
}

function tellEnd(job) {
  if (job.state === "failed") announce(sentence(job.error), true);
  else emit("job-done", job);
}

async function watch() {
  if (watching) return;
  watching = true;
  while (told.some((job) => job.state === "running")) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    if (document.body.classList.contains("blind")) continue;
    try {
      const before = news;
      const jobs = await get("/studio/jobs");
      if (before === news) take(jobs);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  watching = false;
}
