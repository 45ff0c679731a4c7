/** Requests to the server of the page. */
import { keepListener, listener } from "./storage.js";

/** @import { Message, State } from "./types.d.ts" */

const BASE = `${location.pathname.replace(/\/+$/, "")}/`;
const GONE = [404, 410];
const NOT_READY = "session_not_ready";

/** The server refused a request. The message is a sentence to show. */
export class Refusal extends Error {
  /** @param {number} status @param {string} detail @param {string} code */
  constructor(status, detail, code) {
    super(detail);
    this.status = status;
    this.code = code;
  }

  /** True if the studio has not made all sounds of the session. */
  get notReady() {
    return this.code === NOT_READY;
  }

  /** True if the session is over for everybody who has this link. */
  get gone() {
    return GONE.includes(this.status);
  }

  /** True if the same request can succeed later. */
  get passing() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

/** The request did not reach the server, or its answer did not arrive. */
export class NoConnection extends Error {}

/**
 * Send a request. Throws Refusal or NoConnection.
 * @param {string} path @param {RequestInit} options
 */
async function send(path, options = {}) {
  const headers = new Headers(options.headers);
  const secret = listener();
  if (secret) headers.set("X-Listener", secret);
  const answer = await connected(() => fetch(BASE + path, { cache: "no-store", ...options, headers }));
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

/** @template Result @param {() => Promise<Result>} exchange */
async function connected(exchange) {
  try {
    return await exchange();
  } catch (error) {
    throw new NoConnection("No connection to the studio.", { cause: error });
  }
}

/** @param {Response} answer */
async function refusalOf(answer) {
  try {
    const { detail, code } = await answer.json();
    const words = String(detail);
    return new Refusal(answer.status, `${words.charAt(0).toUpperCase()}${words.slice(1)}.`, String(code));
  } catch {
    return new Refusal(answer.status, `The studio answered with the error ${answer.status}.`, "");
  }
}

/** @param {string} path @param {object} [body] @returns {Promise<any>} */
async function post(path, body) {
  const content = body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await send(path, { method: "POST", ...content });
  return connected(() => answer.json());
}

/** Become a listener of this session. */
export async function join() {
  keepListener(null);
  const { listener: secret } = await post("listeners");
  keepListener(secret);
}

/** @returns {Promise<State>} */
export async function state() {
  const answer = await send("state");
  return connected(() => answer.json());
}

/** @param {Message} message @returns {Promise<State>} */
export function tell({ path, body }) {
  return post(path, body);
}

/** @param {string} url  relative to the invitation */
export async function bytes(url) {
  const answer = await send(url);
  return connected(() => answer.arrayBuffer());
}
