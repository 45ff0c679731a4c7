/** A session in the list, and the parts that show its state. */
import { h, icon } from "../core/dom.js";
import { plural, sentence } from "../core/format.js";
import { METHODS } from "./methods.js";
import { setRender } from "./sessions.js";
import { stateWords } from "./words.js";

/** @param {ListeningSession} session @param {(id: string) => unknown} open */
export function sessionRow(session, open) {
  const onclick = () => open(session.id);
  return h(
    "li",
    {},
    h("button.session-name", { type: "button", "data-name": `open ${session.id}`, onclick }, session.plan.name),
    ...stateOf(session),
  );
}

/** Return the facts of a session, its progress, and why its render failed. @param {ListeningSession} session */
export function stateOf(session) {
  const { plan, listeners, votes, state, made, takes } = session;
  const fact = (/** @type {string} */ words, look = "") => h(`span.fact${look}`, {}, words);
  return [
    h(
      "p.facts",
      {},
      fact(stateWords(session), `.session-state.${state}`),
      fact(METHODS[plan.method].name),
      fact(plural(listeners, "listener")),
      fact(plural(votes, "vote")),
    ),
    made < takes && state !== "closed" && bar(made, takes),
    state === "failed" && trouble(session),
  ];
}

/** @param {number} made @param {number} takes */
function bar(made, takes) {
  const done = h("i", { style: `transform:scaleX(${made / takes})` });
  const values = { "aria-valuemin": 0, "aria-valuemax": takes, "aria-valuenow": made };
  return h("div.progress", { role: "progressbar", "aria-label": "Rendered takes", ...values }, done);
}

/** @param {ListeningSession} session */
function trouble({ id, failure }) {
  return h(
    "div.session-trouble",
    {},
    icon("warn"),
    h("p", {}, sentence(failure)),
    h("button.quiet.small", { type: "button", onclick: () => setRender(id, true) }, "Try again"),
  );
}
