/** The listening sessions of the studio: load, create, edit, render, close, delete with undo. */
import { changed } from "../core/bus.js";
import { toastDeletion } from "../core/disk.js";
import { announce } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { attempt } from "../core/login.js";
import { get, post, put, remove } from "../core/server.js";

export const ROOT = "/studio/listening-sessions";
/** Newest first; null before they are loaded. @type {ListeningSession[] | null} */
let known = null;
let acts = 0; // number of actions, so that an answer from before an action is ignored

export function sessions() {
  return known;
}

/** Return the route of a session. @param {string} id @param {string} rest */
export function pathOf(id, rest = "") {
  return `${ROOT}/${id}${rest}`;
}

/** @param {string} id */
export function sessionOf(id) {
  return known?.find((one) => one.id === id) ?? null;
}

/** Load the sessions. Throws Refusal. */
export async function look() {
  const before = acts;
  const told = await get(ROOT);
  if (before === acts) receive(told);
}

/** @param {ListeningSession[]} told */
function receive(told) {
  if (JSON.stringify(told) === JSON.stringify(known)) return;
  for (const one of told) announceChange(sessionOf(one.id), one);
  known = told;
  changed(STATE.sessions);
}

/** @param {ListeningSession | null} before @param {ListeningSession} now */
function announceChange(before, { state, plan, failure }) {
  if (before?.state !== "rendering" || state === "rendering") return;
  if (state === "open") announce(`All takes of ${plan.name} are rendered. The session is open for listeners.`);
  if (state === "failed") announce(`The render of ${plan.name} failed: ${failure}`, true);
}

/** Replace a session, or add it as the newest. @param {ListeningSession} session */
function keep(session) {
  acts += 1;
  const list = known ?? [];
  const isKnown = list.some(({ id }) => id === session.id);
  receive(isKnown ? list.map((one) => (one.id === session.id ? session : one)) : [session, ...list]);
  return session;
}

/** Create a session. Throws Refusal. @param {object} body @returns {Promise<ListeningSession>} */
export async function create(body) {
  return keep(await post(ROOT, body));
}

/** Replace the plan of a session without votes. Throws Refusal. @param {string} id @param {object} body @returns {Promise<ListeningSession>} */
export async function edit(id, body) {
  return keep(await put(pathOf(id), body));
}

/** Continue or pause the making of takes. @param {string} id @param {boolean} on */
export function setRender(id, on) {
  return attempt(async () => keep(await post(pathOf(id, "/render"), { on })));
}

/** Close a session for listeners, or open it again. @param {string} id @param {boolean} closed */
export function setClosed(id, closed) {
  return attempt(async () => keep(await post(pathOf(id, "/close"), { closed })));
}

/** Delete a session; this can be undone. @param {ListeningSession} session */
export function discard({ id, plan }) {
  return attempt(async () => {
    await remove(pathOf(id));
    acts += 1;
    receive((known ?? []).filter((one) => one.id !== id));
    toastDeletion("Listening session deleted.", { words: `delete ${plan.name}`, back: () => bringBack(id) });
  });
}

/** @param {string} id */
function bringBack(id) {
  return attempt(async () => {
    keep(await post(pathOf(id, "/restore")));
    await look(); // restores its place in the list
  });
}
