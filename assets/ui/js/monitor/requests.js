/** The list of running and waiting requests: rank, engine, progress and time left. */
import { h } from "../core/dom.js";
import { ordinal, percent, seconds } from "../core/format.js";
import { state } from "../core/state.js";

export function requestList() {
  const element = h("ol.requests", { "aria-label": "Running and waiting requests" });
  let drawn = "";
  const update = (/** @type {RequestStatus[]} */ requests) => {
    const shown = JSON.stringify(requests);
    if (shown === drawn) return;
    drawn = shown;
    element.replaceChildren(...(requests.length ? requests.map(request) : [h("li", {}, "Nothing runs or waits.")]));
  };
  update([]);
  return { element, update };
}

/** @param {RequestStatus} status */
function request({ mine, engine, state: phase, rank, progress, eta_s }) {
  const runs = phase === "running";
  const place = runs ? percent(progress) : rank <= 1 ? "next" : ordinal(rank);
  return h(
    `li.request${mine ? ".mine" : ""}`,
    {},
    h("b", { title: runs ? "Progress" : "Place in the queue" }, place),
    h("span", {}, `${state.titles[engine] ?? engine}, ${mine ? "your request" : "other user"}`),
    h("span", {}, eta_s === null ? "time left unknown" : `${seconds(eta_s)} left`),
  );
}
