/** The studio's own routes. What fails throws a Refusal whose message is a sentence for the page. */
import { sentence } from "./words.js";

export class Refusal extends Error {
  /**
   * @param {number} status  of the answer; 0 where there was none
   * @param {object} said  the whole answer: a conflict tells what is there instead
   */
  constructor(text, status = 0, said = {}) {
    super(sentence(text));
    this.status = status;
    this.said = said;
  }

  /** Whether the same may be granted later: the fault lay with the studio or its load, not with what was asked. */
  get mayPass() {
    return !this.status || this.status === 429 || this.status >= 500;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new Refusal("the studio does not answer; check that it still runs, then try again");
  }
  if (answer.ok) return answer;
  throw refusal(answer.status, await answer.json().catch(() => ({})));
}

/** What an answer other than yes says, in a sentence. */
export function refusal(status, said) {
  const text = said.error ?? said.detail ?? `the studio answered with an error (${status}); try again`;
  return new Refusal(text, status, said);
}

export async function get(path, options = {}) {
  return (await ask(path, options)).json();
}

export function post(path, body = {}) {
  return write("POST", path, body);
}

export function put(path, body) {
  return write("PUT", path, body);
}

async function write(method, path, body) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method, headers, body: JSON.stringify(body) })).json();
}

export async function remove(path) {
  return (await ask(path, { method: "DELETE" })).json();
}

export async function send(path, file, name) {
  const form = new FormData();
  form.append("file", file, name);
  return (await ask(path, { method: "POST", body: form })).json();
}

export async function bytesOf(path) {
  return (await ask(path)).arrayBuffer();
}

/** A response whose body is read as it comes. */
export function stream(path) {
  return ask(path);
}
