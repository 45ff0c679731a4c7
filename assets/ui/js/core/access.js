/** Whether the user is the owner. Only the owner may change champions, stores and engines; everybody may speak. */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import { poll } from "./polling.js";
import { get } from "./server.js";

const KNOWN_MS = 10_000; // between two requests
const UNKNOWN_MS = 1000;

export const access = {
  owner: false,
  login: "", // "basic": the owner can log in; "none": no login; empty: not loaded yet
};

/** @type {Promise<void> | null} */
let asked = null;

/** Load the access rights. Elements with `data-owners` are shown only to the owner. */
export function loadAccess() {
  asked = ask();
  return asked;
}

/** Resolves when the access rights are loaded, or loading failed. */
export function accessKnown() {
  return (asked ?? loadAccess()).catch(() => {});
}

async function ask() {
  const before = JSON.stringify(access);
  Object.assign(access, await get("/studio/me"));
  if (JSON.stringify(access) === before) return;
  document.body.classList.toggle("owner", access.owner);
  changed(STATE.access);
}

/** Poll the access rights: the first request may fail, a login may expire, and another tab may log in. */
export function watchAccess() {
  poll({ needed: () => true, every: () => (access.login ? KNOWN_MS : UNKNOWN_MS), look: loadAccess });
}
