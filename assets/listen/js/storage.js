/** What this browser keeps: who the listener is, their settings, and answers that the server does not have yet. */
/** @import { Message } from "./types.d.ts" */

const PLACE = location.pathname.replace(/\/+$/, ""); // contains the invitation
/** Used if the browser refuses to store anything. @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name @returns {string | null} */
function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return memory.get(name) ?? null;
  }
}

/** @param {string} name @param {string | null} value  null removes the entry */
function write(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    if (value === null) memory.delete(name);
    else memory.set(name, value);
  }
}

/** @param {string} name */
function parsed(name) {
  try {
    return JSON.parse(read(name) ?? "null");
  } catch {
    return null;
  }
}

/** An entry of this invitation. @param {string} name */
function entry(name) {
  return `listen ${PLACE} ${name}`;
}

/** @returns {string | null} */
export function listener() {
  return read(entry("listener"));
}

/** @param {string | null} secret */
export function keepListener(secret) {
  write(entry("listener"), secret);
}

/** Return the message that was not answered before the page was left. @returns {Message | null} */
export function unsent() {
  return parsed(entry("unsent"));
}

/** @param {Message | null} message */
export function keepUnsent(message) {
  write(entry("unsent"), message && JSON.stringify(message));
}

/** Return what was entered but not sent. @param {string} form  a trial or the questions @returns {Record<string, any>} */
export function draft(form) {
  return parsed(entry(`draft ${form}`)) ?? {};
}

/** @param {string} form @param {Record<string, any> | null} values  null: they were sent */
export function keepDraft(form, values) {
  write(entry(`draft ${form}`), values && JSON.stringify(values));
}

/** Return a setting of all sessions. @param {string} name @param {boolean} otherwise */
export function setting(name, otherwise) {
  const kept = read(`listen ${name}`);
  return kept === null ? otherwise : kept === "true";
}

/** @param {string} name @param {boolean} value */
export function keepSetting(name, value) {
  write(`listen ${name}`, String(value));
}
