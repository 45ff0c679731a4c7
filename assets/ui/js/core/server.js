/** Requests to the studio's routes. A failed request throws a Refusal, whose message is a sentence for the page. */
import { at } from "./address.js";
import { sentence } from "./format.js";

export class Refusal extends Error {
  /**
   * @param {string} text
   * @param {number} status  HTTP status; 0 if there was no answer
   * @param {Record<string, any>} body  the complete answer; in a conflict it contains the current state
   */
  constructor(text, status = 0, body = {}) {
    super(sentence(text));
    this.status = status;
    this.body = body;
  }

  /** Return true if a retry may succeed: the studio failed or was busy, and the request was valid. */
  get retryable() {
    return !this.status || this.status === 429 || this.status >= 500;
  }
}

/**
 * Return a module that is loaded on demand. Throws Refusal.
 * @template T @param {Promise<T>} module @returns {Promise<T>}
 */
export function fetched(module) {
  return module.catch(() => {
    throw new Refusal("this part of the page did not load; reload the page");
  });
}

/** Return the message of an error. @param {unknown} error */
export function reason(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Return true if the error is a refusal with one of these statuses.
 * @param {unknown} error @param {number[]} statuses
 */
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

/** Return the Refusal for an error response. @param {number} status @param {Record<string, any>} body */
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

/** Resolves to null if the answer is empty. @param {string} path @returns {Promise<any>} */
export async function remove(path) {
  const answer = await ask(path, { method: "DELETE" });
  return answer.status === 204 ? null : answer.json();
}

/**
 * Send a file as form data, with additional fields.
 * @param {string} path
 * @param {Blob} file
 * @param {string} name
 * @param {Record<string, string>} fields
 * @returns {Promise<any>}
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

/** Send a request whose answer is audio. @param {string} path @param {unknown} body */
export async function sound(path, body) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).arrayBuffer();
}

/**
 * Return the body of an answer as a stream.
 * @param {string} path @returns {Promise<ReadableStream<Uint8Array<ArrayBuffer>>>}
 */
export async function stream(path) {
  return /** @type {ReadableStream} */ ((await ask(path)).body);
}
