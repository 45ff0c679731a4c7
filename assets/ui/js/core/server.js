/** The studio's own routes. What fails throws a Refusal whose message is a sentence for the page. */
import { at } from "./address.js";
import { sentence } from "./format.js";

export class Refusal extends Error {
  /**
   * @param {string} text
   * @param {number} status  of the answer; 0 where there was none
   * @param {Record<string, any>} body  the whole answer: a conflict tells what is there instead
   */
  constructor(text, status = 0, body = {}) {
    super(sentence(text));
    this.status = status;
    this.body = body;
  }

  /** Whether the same may be granted later: the fault lay with the studio or its load, not with what was asked. */
  get retryable() {
    return !this.status || this.status === 429 || this.status >= 500;
  }
}

/**
 * A module that is fetched when it is first needed. Throws Refusal.
 * @template T @param {Promise<T>} module @returns {Promise<T>}
 */
export function fetched(module) {
  return module.catch(() => {
    throw new Refusal("this part of the page did not load; reload the page");
  });
}

/** What went wrong, as a sentence. @param {unknown} error */
export function reason(error) {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an answer with one of these statuses was refused. @param {unknown} error @param {number[]} statuses */
export function refusedWith(error, ...statuses) {
  return error instanceof Refusal && statuses.includes(error.status);
}

/** @param {string} path @param {RequestInit} options */
async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(at(path), { credentials: "same-origin", ...options });
  } catch {
    throw new Refusal("the studio does not answer; check that the studio is running, then try again");
  }
  if (answer.ok) return answer;
  throw refusal(answer.status, await answer.json().catch(() => ({})));
}

/** What an answer other than yes says. @param {number} status @param {Record<string, any>} body */
export function refusal(status, body) {
  const text = body.detail ?? `server error ${status}; try again`;
  return new Refusal(text, status, body);
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  return (await ask(path)).json();
}

/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export function post(path, body = {}) {
  return write("POST", path, body);
}

/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export function put(path, body) {
  return write("PUT", path, body);
}

/** @param {string} path @param {unknown} body @returns {Promise<any>} */
export function patch(path, body) {
  return write("PATCH", path, body);
}

/** @param {string} method @param {string} path @param {unknown} body */
async function write(method, path, body) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method, headers, body: JSON.stringify(body) })).json();
}

/** @param {string} path @returns {Promise<any>} */
export async function remove(path) {
  return (await ask(path, { method: "DELETE" })).json();
}

/**
 * Send a file in a form, with further fields.
 * @param {string} path @param {Blob} file @param {string} name @param {Record<string, string>} fields @returns {Promise<any>}
 */
export async function postFile(path, file, name, fields = {}) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append("file", file, name);
  return (await ask(path, { method: "POST", body: form })).json();
}

/** @param {string} path */
export async function getBytes(path) {
  return (await ask(path)).arrayBuffer();
}

/** What an answer to these words sounds like. @param {string} path @param {unknown} body */
export async function sound(path, body) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).arrayBuffer();
}

/** A body that is read as it comes. @param {string} path @returns {Promise<ReadableStream<Uint8Array<ArrayBuffer>>>} */
export async function stream(path) {
  return /** @type {ReadableStream} */ ((await ask(path)).body);
}
