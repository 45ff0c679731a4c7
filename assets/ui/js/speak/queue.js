/**
 * Calls Gradio's queue directly, because Gradio's own page shows the rank only as a number over a component. When the
 * stream is closed, Gradio removes a waiting event and closes a running generator.
 */
import { at } from "../core/address.js";
import { Refusal } from "../core/server.js";
import { events, patched } from "./queue-messages.js";

/** @import { Patch } from "./queue-messages.js" */
/**
 * @typedef {object} Listener
 * @property {(rank: number) => void} onwait  called with the rank in the queue; 1: next
 * @property {(outputs: any[]) => void} onyield  called with all outputs of each yield
 */

const api = () => at(window.gradio_config.api_prefix);

/** @param {string} name */
function indexOf(name) {
  return window.gradio_config.dependencies.find(({ api_name }) => api_name === name)?.id;
}

/** @param {string} path @param {unknown} body */
function post(path, body) {
  const headers = { "content-type": "application/json" };
  return fetch(api() + path, { method: "POST", headers, body: JSON.stringify(body) });
}

/** One call of an endpoint, from joining the queue to its last outputs. */
export class QueuedCall {
  /** @param {string} endpoint  name of the endpoint @param {Listener} listener */
  constructor(endpoint, listener) {
    this.listener = listener;
    this.fn_index = indexOf(endpoint);
    this.session_hash = Math.random().toString(36).slice(2, 14);
    this.event_id = "";
    this.leaving = new AbortController();
    /** @type {any[] | null} */ this.outputs = null;
  }

  /**
   * Queue the call. Resolves to its last outputs; null if the call was cancelled. Throws Refusal.
   * @param {unknown[]} data
   */
  async send(data) {
    try {
      this.event_id = await this.#join(data);
      if (this.leaving.signal.aborted) this.#cancel();
      return await this.#listen();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return null;
      throw error instanceof Refusal ? error : new Refusal("connection lost; try again");
    }
  }

  /** Cancel the call, whether it waits or runs. */
  leave() {
    this.leaving.abort();
    if (this.event_id) this.#cancel();
  }

  #cancel() {
    const { session_hash, fn_index, event_id } = this;
    post("/cancel", { session_hash, fn_index, event_id }).catch(() => {});
  }

  /** @param {unknown[]} data @returns {Promise<string>} */
  async #join(data) {
    const { session_hash, fn_index } = this;
    const answer = await post("/queue/join", { data, fn_index, session_hash, event_data: null, trigger_id: null });
    const body = await answer.json().catch(() => ({}));
    if (answer.ok) return body.event_id;
    const detail = typeof body.detail === "string" ? body.detail : "";
    if (detail.startsWith("Queue is full"))
      throw new Refusal("the queue is full; wait until a take is finished, then press Speak again", 503);
    throw new Refusal(detail || `server error ${answer.status}; try again`, answer.status);
  }

  async #listen() {
    const path = `${api()}/queue/data?session_hash=${this.session_hash}`;
    const answer = await fetch(path, { headers: { accept: "text/event-stream" }, signal: this.leaving.signal });
    for await (const message of events(/** @type {ReadableStream} */ (answer.body))) {
      if (message.msg === "estimation") this.listener.onwait(message.rank + 1);
      else if (message.msg === "process_generating") this.#yielded(message.output.data);
      else if (message.msg === "unexpected_error") throw new Refusal(message.message);
      else if (message.msg === "process_completed") return this.#completed(message);
    }
    throw new Refusal("connection lost; try again");
  }

  /** Handle a yield. The first one is complete, later ones are patches of the previous outputs. @param {any[]} data */
  #yielded(data) {
    const before = this.outputs;
    this.outputs = before ? data.map((/** @type {Patch} */ patch, place) => patched(before[place], patch)) : data;
    this.listener.onyield(this.outputs);
  }

  /** @param {{success: boolean, output: {data?: any[], title?: string, error?: string}}} message */
  #completed({ success, output }) {
    if (success) return output.data ?? this.outputs;
    const status = output.title === "Refused" ? 400 : 500;
    throw new Refusal(output.error ?? "the take failed for an unknown reason; try again", status);
  }
}
