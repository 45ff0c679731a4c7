/** An opened session: its state, its actions and its results. */
import { h, icon } from "../core/dom.js";
import { plural } from "../core/format.js";
import { openInvitations } from "./invitations.js";
import { stateOf } from "./list.js";
import { listenNow } from "./listening-tab.js";
import { redraw } from "./redraw.js";
import { ResultsView } from "./results.js";
import { discard, sessionOf, setClosed, setRender } from "./sessions.js";

const NOT_MADE = "Listeners can take part as soon as all takes are rendered.";
const CLOSED = "Listeners cannot vote while the session is closed.";
const HAS_VOTES = "A session with votes cannot change. Duplicate it instead.";

/**
 * @typedef {object} Acts
 * @property {string} id @property {() => void} close  show the list again
 * @property {(session: ListeningSession) => unknown} edit @property {(session: ListeningSession) => unknown} copy
 */

export class OpenedSession {
  /** @param {Acts} acts */
  constructor(acts) {
    this.acts = acts;
    this.id = acts.id;
    this.heading = h("h3", { tabindex: "-1" });
    this.state = h("div.session-facts");
    this.buttons = h("div.session-acts");
    this.results = new ResultsView(acts.id);
    const back = h("button.link.session-back", { type: "button", onclick: acts.close }, "All sessions");
    this.element = h("div.session", {}, back, this.heading, this.state, this.buttons, this.results.element);
    this.shown = ""; // JSON of what is drawn
  }

  /** @param {ListeningSession} session */
  draw(session) {
    this.results.draw(session);
    const now = JSON.stringify(session);
    if (now === this.shown) return;
    this.shown = now;
    const { plan, state, all_votes } = session;
    this.heading.textContent = plan.name;
    const about = `“${plan.question}” ${plural(plan.arms.length, "arm")}, ${plural(plan.lines.length, "line")}, ${plural(plan.trials, "trial")} for each listener.`;
    redraw(this.state, [h("p.hint", {}, about), ...stateOf(session)]);
    const hints = [state === "closed" ? CLOSED : state !== "open" && NOT_MADE, all_votes > 0 && HAS_VOTES];
    const notes = hints.filter(Boolean).join(" ");
    redraw(this.buttons, [...this.#actions(session), notes && h("p.hint", { id: "session-notes" }, notes)]);
  }

  /** @param {ListeningSession} session */
  #actions(session) {
    const { id, state, all_votes, made, takes } = session;
    const described = { "aria-describedby": "session-notes" };
    const due = made < takes && state !== "closed";
    const listen = { disabled: state !== "open", ...(state !== "open" && described) };
    const edit = { disabled: all_votes > 0, ...(all_votes > 0 && described) };
    return [
      button([icon("play"), "Listen now"], () => listenNow(session), listen, "primary"),
      button("Invite", () => openInvitations(session)),
      due &&
        button(state === "rendering" ? "Pause render" : "Resume render", () => setRender(id, state !== "rendering")),
      button("Edit", () => this.acts.edit(session), edit),
      button("Duplicate", () => this.acts.copy(session)),
      button(state === "closed" ? "Open again" : "Close", () => setClosed(id, state !== "closed")),
      button([icon("trash"), "Delete"], () => this.#discard(session)),
    ];
  }

  /** @param {ListeningSession} session */
  async #discard(session) {
    await discard(session);
    if (!sessionOf(session.id)) this.acts.close();
  }
}

/** @param {Child | Child[]} words @param {() => unknown} onclick @param {Attributes} attributes @param {string} look */
function button(words, onclick, attributes = {}, look = "quiet") {
  return h(`button.${look}`, { type: "button", onclick, ...attributes }, words);
}
