/** Long jobs of the studio: package, import, push, pull, check weights. Jobs survive a reload of the page. */
import { access } from "../core/access.js";
import { changed, emit, follow, on } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { EVENT, STATE } from "../core/events.js";
import { sentence } from "../core/format.js";
import { attempt } from "../core/login.js";
import { isBlind, page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { get, post, remove } from "../core/server.js";
import { sleep } from "../core/timing.js";

const RUNNING_MS = 400;
const RESTING_MS = 5000; // another tab may start a job
const AGAIN_MS = 3000; // pause after a failed request
/** Resolvers of `ended` by job id. @type {Map<string, (job: Job | null) => void>} */
const waiting = new Map();
/** The jobs that the server reported. @type {Job[]} */
let known = [];
/** Uploads of this page that are not complete yet. @type {Job[]} */
let uploads = [];
let asked = 0; // number of requests
let believed = 0; // number of the newest answered request; answers to earlier requests are ignored
let uploaded = 0;

follow(STATE.access, () => (access.owner ? refreshUnlessComparing() : receive([])));
on(EVENT.championChanged, (id) => {
  known.filter((job) => isArchive(job) && job.champion === id).forEach(putAway);
  changed(STATE.jobs);
});

/** Return all jobs, uploads first. */
export function jobs() {
  return [...uploads, ...known];
}

/** Load the jobs, except on the Compare page: a job may reveal the names of a blind trial. */
function refreshUnlessComparing() {
  if (page() !== "compare") look().catch(() => {});
}

async function look() {
  asked += 1;
  const question = asked;
  const jobs = await get("/studio/jobs");
  if (question > believed) receive(jobs, question);
}

/** @param {Job} job */
export function isUnderWay({ state }) {
  return state === "running" || state === "paused";
}

/**
 * Return true if a job is a packaged champion. It can be downloaded until the champion has a newer version.
 * @param {Job} job
 */
export function isArchive({ kind, state }) {
  return kind === "package" && state === "done";
}

/**
 * Return true if a job leaves nothing to download or review: import, push and pull.
 * @param {Job} job
 */
export function isTransfer({ kind }) {
  return ["import", "push", "pull"].includes(kind);
}

/**
 * Start a job of the studio. Resolves to the job, or undefined if the studio refused it.
 * @param {() => Promise<Job>} ask
 */
export function begin(ask) {
  return attempt(async () => {
    const job = await ask();
    receive([job, ...known.filter((other) => other.id !== job.id)]);
    if (!isUnderWay(job)) announceEnd(job);
    return job;
  });
}

/**
 * Resolves to a job when it ends; null if the studio does not know it any more.
 * @param {Job} job @returns {Promise<Job | null>}
 */
export function ended({ id }) {
  const job = known.find((one) => one.id === id) ?? null;
  if (!job || !isUnderWay(job)) return Promise.resolve(job);
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** @param {Job} job */
export function pause(job) {
  return command(job, "pause");
}

/** @param {Job} job */
export function resume(job) {
  return command(job, "resume");
}

/** Cancel a running job, or remove a job that has ended. @param {Job} job */
export function dismiss(job) {
  if (job.leave) return job.leave();
  return attempt(async () => {
    if (isUnderWay(job)) await post(`/studio/jobs/${job.id}/cancel`);
    else {
      await forget(job);
      receive(known.filter(({ id }) => id !== job.id));
    }
    await look();
  });
}

/**
 * Show an upload among the jobs while `send` runs; it can be cancelled. Resolves to the result of `send`.
 * @param {{kind: JobKind, champion?: string, name: string}} what
 * @param {(onprogress: (fraction: number) => void, signal: AbortSignal) => Promise<Job>} send
 */
export async function uploading({ kind, champion = "", name }, send) {
  const leaving = new AbortController();
  uploaded += 1;
  /** @type {Job} */
  const job = {
    ...{ id: `upload ${uploaded}`, kind, champion, store: "", state: "running", fraction: 0, error: "", conflict: "" },
    ...{ message: `sending ${name}`, resumable: false, result: null, leave: () => leaving.abort() },
  };
  const onprogress = (/** @type {number} */ fraction) => {
    job.fraction = fraction;
    changed(STATE.jobs);
  };
  uploads = [job, ...uploads];
  onprogress(0);
  try {
    return await send(onprogress, leaving.signal);
  } finally {
    uploads = uploads.filter((one) => one !== job);
    changed(STATE.jobs);
  }
}

/** @param {Job} job @param {"pause" | "resume"} verb */
async function command(job, verb) {
  await attempt(async () => {
    await post(`/studio/jobs/${job.id}/${verb}`);
    await look();
  });
}

/** @param {Job} job */
async function forget({ id }) {
  await remove(`/studio/jobs/${id}`);
}

/**
 * Replace the list of jobs, and announce each job that ended since the last answer.
 * @param {Job[]} jobs
 * @param {number} question  number of the answered request; if omitted, the jobs are newer than all pending answers
 */
function receive(jobs, question = asked) {
  const before = new Map(known.map((job) => [job.id, job]));
  believed = question;
  jobs.filter((job) => job.state === "cancelled").forEach(putAway);
  // A transfer that ended while no page was open is not shown.
  const isOld = (/** @type {Job} */ job) => isTransfer(job) && job.state === "done" && !before.has(job.id);
  known = jobs.filter((job) => job.state !== "cancelled" && !isOld(job));
  changed(STATE.jobs);
  for (const job of known) {
    const last = before.get(job.id);
    if (last && isUnderWay(last) && !isUnderWay(job)) announceEnd(job);
  }
  for (const [id, resolve] of waiting) {
    const job = known.find((one) => one.id === id) ?? null;
    if (job && isUnderWay(job)) continue;
    waiting.delete(id);
    resolve(job);
  }
}

/** Remove a job that has ended. Another page may have removed it already. @param {Job} job */
function putAway(job) {
  known = known.filter((other) => other !== job);
  forget(job).catch(() => {});
}

/** @param {Job} job */
function announceEnd(job) {
  if (job.state === "failed") announce(sentence(job.error), true);
  else emit(EVENT.jobDone, job);
}

poll({
  needed: () => access.owner && !isBlind() && (page() !== "compare" || known.some(isUnderWay)),
  every: () => (known.some((job) => job.state === "running") ? RUNNING_MS : RESTING_MS),
  look: () => look().catch(() => sleep(AGAIN_MS)),
});
