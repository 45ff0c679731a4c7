/** The results of a session: the outcome, the best arm as a champion, and the details. */
import { h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { get } from "../core/server.js";
import { details } from "./details.js";
import { outcome } from "./outcome.js";
import { redraw } from "./redraw.js";
import { pathOf } from "./sessions.js";
import { WinnerForm } from "./winner.js";

const EVERY_MS = 4000; // while listeners vote

export class ResultsView {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    /** @type {ListeningSession | null} */ this.session = null;
    /** @type {SessionResults | null} */ this.results = null;
    this.shown = ""; // JSON of what is drawn
    this.seen = 0; // number of votes at the last request
    this.due = 0; // time of the next request
    this.first = h("div.session-part", {}, h("p.hint", {}, "Loading results…"));
    this.winner = new WinnerForm(id);
    this.more = h("div.session-part");
    this.element = h("div.session-outcome", {}, this.first, this.winner.element, this.more);
    this.look = this.look.bind(this);
  }

  /** Load the results if they may have changed. Throws Refusal. */
  async look() {
    const all_votes = this.session?.all_votes ?? 0;
    const changed = this.results && all_votes !== this.seen;
    const isOver = this.results && this.session?.state !== "open";
    if (!changed && (isOver || performance.now() < this.due)) return;
    this.due = performance.now() + EVERY_MS;
    this.results = await get(pathOf(this.id, "/results"));
    this.seen = all_votes;
    this.#draw();
  }

  /** @param {ListeningSession} session */
  draw(session) {
    this.session = session;
    this.#draw();
  }

  #draw() {
    const { session, results } = this;
    if (!session || !results) return;
    const now = JSON.stringify([results, session.plan, session.state]);
    if (now === this.shown) return;
    this.shown = now;
    redraw(this.first, [h("h4", {}, "What listeners said"), summary(session, results), ...outcome(session, results)]);
    this.winner.draw(session, results);
    redraw(this.more, details(session, results));
  }
}

/** @param {ListeningSession} session @param {SessionResults} results */
function summary({ all_votes }, { votes, listeners, preliminary }) {
  const excluded = listeners.filter((one) => one.excluded).length;
  const out = excluded ? `, ${excluded} of them excluded` : "";
  const words = `${plural(votes, "counted vote")} from ${plural(listeners.length, "listener")}${out}.`;
  const none = all_votes
    ? "Votes on practice and catch trials do not count."
    : "Invite listeners, or press Listen now.";
  return h(
    "p.session-summary",
    {},
    votes || listeners.length ? words : `No votes yet. ${none}`,
    votes > 0 &&
      preliminary &&
      h("span.tag", { title: "Few listeners, or wide intervals: more votes can change the order." }, "Preliminary"),
  );
}
