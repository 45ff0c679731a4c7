/** The studio's own routes. What fails throws a Refusal whose message is a sentence for the page. */
import { sentence } from "./words.js";

export class Refusal extends Error {
  /** @param {number} status  of the answer; 0 where there was none */
  constructor(text, status = 0) {
    super(sentence(text));
    this.status = status;
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
  const said = await answer.json().catch(() => ({}));
  throw new Refusal(
    said.error ?? said.detail ?? `the studio answered with an error (${answer.status}); try again`,
    answer.status,
  );
}

export async function get(path, options = {}) {
  return (await ask(path, options)).json();
}

export async function post(path, body = {}, options = {}) {
  const headers = { "content-type": "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body), ...options })).json();
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
