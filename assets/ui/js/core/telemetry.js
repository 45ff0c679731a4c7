/**
 * Polls the studio's status while the page is visible. Only the Monitor page loads the data of the plots. After its first
 * request, it loads only newer data.
 */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import { isBlind, page } from "./pages.js";
import { poll } from "./polling.js";
import { get } from "./server.js";
import { state } from "./state.js";
import { sleep } from "./timing.js";

const EVERY_MS = 1000;
const PLOTS_MS = 3000; // on the Monitor page, whose drawings take CPU time from the engines
const ANSWER_MS = 6000; // time after which an answer counts as missing
const LOST = 2; // number of missing answers in a row after which the page shows "No connection"
const KEPT_S = 600; // length of the plots
const OVERLAP_S = 2; // seconds that are requested again, because an answer may lack a take that has just ended
let missed = 0;
let looks = 0;
/** @type {{at_s: number, points: TelemetryPoint[], timed: TimedTake[]}} */
let known = { at_s: 0, points: [], timed: [] };

/** Load the status now instead of at the next tick. */
export async function refreshTelemetry() {
  if (document.hidden || isBlind()) return; // the status names engines
  looks += 1;
  const mine = looks;
  const series = page() === "monitor";
  const asked = get(`/studio/telemetry?series=${series}${series ? after() : ""}`).catch(() => null);
  const answer = (await Promise.race([asked, sleep(ANSWER_MS)])) ?? null;
  if (mine !== looks) return; // a later request may have been answered already
  missed = answer ? 0 : missed + 1;
  if (answer && series) addKnown(answer);
  if (answer || missed === LOST) receive(answer);
}

function after() {
  return known.points.length ? `&after=${known.at_s - OVERLAP_S}` : "";
}

/** Add the plot data of earlier answers to this answer. @param {Telemetry} answer */
function addKnown(answer) {
  const earlier = answer.at_s < known.at_s ? { points: [], timed: [] } : known; // the machine was restarted
  known = {
    at_s: answer.at_s,
    points: joined(earlier.points, answer.points, answer.at_s),
    timed: joined(earlier.timed, answer.timed, answer.at_s),
  };
  Object.assign(answer, { points: known.points, timed: known.timed });
}

/**
 * Return earlier and later items without repetitions, and without items that are older than the plots.
 * @template {{at_s: number}} Item
 * @param {Item[]} earlier @param {Item[]} later  may repeat the last items @param {number} now_s
 */
export function joined(earlier, later, now_s) {
  const repeated = new Set(later.map(({ at_s }) => at_s));
  const kept = earlier.filter(({ at_s }) => at_s > now_s - KEPT_S && !repeated.has(at_s));
  return [...kept, ...later];
}

/** @param {Telemetry | null} telemetry */
function receive(telemetry) {
  const titles = Object.fromEntries(telemetry?.engines.map(({ name, title }) => [name, title]) ?? []);
  Object.assign(state, {
    telemetry,
    lost: !telemetry,
    titles: { ...state.titles, ...titles },
    ...(telemetry && { told_ms: performance.now() }),
  });
  changed(STATE.telemetry);
}

export function watchStudio() {
  poll({ needed: () => true, every: () => (page() === "monitor" ? PLOTS_MS : EVERY_MS), look: refreshTelemetry });
}
