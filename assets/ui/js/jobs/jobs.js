/** The studio's long work: packaging, importing, pushing, pulling, checking weights. It survives a reload. */
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
const RESTING_MS = 2000; // another tab may begin one
const AGAIN_MS = 3000; // after an answer that did not come
/** Who waits for the end of a job, by its id. @type {Map<string, (job: Job | null) => void>} */
const waiting = new Map();
/** Of the server. @type {Job[]} */
let known = [];
/** Uploads of this page, until the server has the file. @type {Job[]} */
let uploads = [];
let asked = 0; // questions, counted
let believed = 0; // the last question whose answer is shown; answers to earlier ones are not believed
let uploaded = 0;

follow(STATE.access, () => (access.owner ? refreshUnlessComparing() : receive([])));
on(EVENT.championChanged, (id) => {
  known.filter((job) => isArchive(job) && job.champion === id).forEach(putAway);
  changed(STATE.jobs);
});

/** All jobs, uploads first. */
export function jobs() {
  return [...uploads, ...known];
}

/** Not where a trial may be open: what a job is about would say too much. */
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

/** Whether it is a packaged champion, to be downloaded until there is a newer version of it. @param {Job} job */
export function isArchive({ kind, state }) {
  return kind === "package" && state === "done";
}

/**
 * Whether what it brought is where it should be, so that it leaves nothing to download or to judge.
 * @param {Job} job
 */
export function isTransfer({ kind }) {
  return ["import", "push", "pull"].includes(kind);
}

/**
 * Have the studio begin a job, and follow it. Resolves to the job, or undefined where it was refused.
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
 * Resolves to a job once it has ended, one way or the other; null if it is no longer known.
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

/** Stop what runs or put away what ended; nothing of it is shown any more. @param {Job} job */
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
 * An upload that shows among the jobs while `send` runs, and can be left. Resolves to what `send` gave.
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
 * What ended while this page looked on is announced, once.
 * @param {Job[]} jobs @param {number} question  that they answer; left out, they are newer than any answer on its way
 */
function receive(jobs, question = asked) {
  const before = new Map(known.map((job) => [job.id, job]));
  believed = question;
  jobs.filter((job) => job.state === "cancelled").forEach(putAway);
  // What came in or went out while nobody looked on is where it should be.
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

/** Another page may have done so. @param {Job} job */
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
