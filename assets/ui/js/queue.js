/**
 * Gradio's queue, joined by hand, because its own page shows a place in line only as a number over a component. Leaving
 * closes the stream, upon which Gradio forgets a waiting event and closes a running generator.
 */
import { Refusal } from "./server.js";

/**
 * @typedef {object} Hearing
 * @property {(rank: number) => void} waiting  1 = next
 * @property {(data: any[]) => void} yields  every output so far
 */

const api = () =>
  `${new URL(window.gradio_config.root, location.href).pathname.replace(/\/$/, "")}${window.gradio_config.api_prefix}`;

function endpoint(name) {
  return window.gradio_config.dependencies.find((dependency) => dependency.api_name === name).id;
}

export class Place {
  /** @param {string} name of the endpoint @param {Hearing} hearing */
  constructor(name, hearing) {
    this.hearing = hearing;
    this.fn_index = endpoint(name);
    this.session_hash = Math.random().toString(36).slice(2, 14);
    this.leaving = new AbortController();
    this.last = null;
  }

  /** Queue the call and resolve with its last outputs; null if it was left. Throws Refusal. */
  async call(data) {
    try {
      const { event_id } = await this.#join(data);
      this.event_id = event_id;
      if (this.leaving.signal.aborted) this.#forget();
      return await this.#listen();
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error instanceof Refusal ? error : new Refusal("the connection to the studio broke; try again");
    }
  }

  /** Give up the place, or what runs. */
  leave() {
    this.leaving.abort();
    if (this.event_id) this.#forget();
  }

  #post(path, body) {
    return fetch(api() + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }

  #forget() {
    const { session_hash, fn_index, event_id } = this;
    this.#post("/cancel", { session_hash, fn_index, event_id }).catch(() => {});
  }

  async #join(data) {
    const { session_hash, fn_index } = this;
    const answer = await this.#post("/queue/join", {
      data,
      fn_index,
      session_hash,
      event_data: null,
      trigger_id: null,
    });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said;
    const detail = typeof said.detail === "string" ? said.detail : "";
    if (detail.startsWith("Queue is full"))
      throw new Refusal("the queue is full; wait for a take to finish, then press Speak again", 503);
    throw new Refusal(detail || said.error || `the studio refused (${answer.status}); try again`, answer.status);
  }

  async #listen() {
    const path = `${api()}/queue/data?session_hash=${this.session_hash}`;
    const answer = await fetch(path, { headers: { accept: "text/event-stream" }, signal: this.leaving.signal });
    for await (const message of messages(answer.body)) {
      if (message.msg === "estimation") this.hearing.waiting(message.rank + 1);
      else if (message.msg === "process_generating") this.#yielded(message.output.data);
      else if (message.msg === "unexpected_error") throw new Refusal(message.message);
      else if (message.msg === "process_completed") return this.#completed(message);
    }
    throw new Refusal("the connection to the studio broke; try again");
  }

  /** The first yield comes whole, later ones as edits of the one before. */
  #yielded(data) {
    this.last = this.last === null ? data : data.map((edits, place) => edited(this.last[place], edits));
    this.hearing.yields(this.last);
  }

  #completed({ success, output }) {
    if (success) return output.data ?? this.last;
    const status = output.title === "Refused" ? 400 : 500;
    throw new Refusal(output.error ?? "this could not be spoken, and nobody said why; try again", status);
  }
}

async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) if (part.startsWith("data:")) yield JSON.parse(part.slice(5));
  }
}

/** Gradio's edits: [action, path, value]. */
function edited(before, edits) {
  let whole = structuredClone(before);
  for (const [action, path, value] of edits) {
    if (!path.length) {
      whole = action === "append" ? whole + value : value;
      continue;
    }
    const last = path.at(-1);
    const inner = path.slice(0, -1).reduce((part, key) => part[key], whole);
    if (action === "append") inner[last] += value;
    else if (action === "delete") Array.isArray(inner) ? inner.splice(last, 1) : delete inner[last];
    else if (action === "add" && Array.isArray(inner)) inner.splice(last, 0, value);
    else inner[last] = value;
  }
  return whole;
}
