/** Whether the owner sits here: champions, stores and engines are the owner's, speaking is everyone's. */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import { poll } from "./polling.js";
import { get } from "./server.js";

const KNOWN_MS = 10_000; // between two questions
const UNKNOWN_MS = 1000;

export const access = {
  owner: false,
  login: "", // "basic" where an owner can log in, "none" where nobody can; empty until the studio has told
};

/** @type {Promise<void> | null} */
let asked = null;

/** Ask the studio. What is the owner's alone carries `data-owners` and shows once it says yes. */
export function loadAccess() {
  asked = ask();
  return asked;
}

/** Resolves once the studio has told, or could not. */
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

/** A studio that did not answer is asked again; a login ends, or another tab logs in. */
export function watchAccess() {
  poll({ needed: () => true, every: () => (access.login ? KNOWN_MS : UNKNOWN_MS), look: loadAccess });
}
