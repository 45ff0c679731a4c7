/** Asks the studio how it is once a second, while someone looks; with the plots' data only while they are on screen. */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import { isBlind, page } from "./pages.js";
import { poll } from "./polling.js";
import { get } from "./server.js";
import { state } from "./state.js";

const EVERY_MS = 1000;
const LOST = 2; // answers missing in a row before the page says so
let missed = 0;
let looks = 0;

/** Look now, rather than with the next tick. */
export async function refreshTelemetry() {
  if (document.hidden || isBlind()) return; // it names engines
  looks += 1;
  const mine = looks;
  const answer = await get(`/studio/telemetry?series=${page() === "monitor"}`).catch(() => null);
  if (mine !== looks) return; // a later look may have been answered already
  missed = answer ? 0 : missed + 1;
  if (answer || missed === LOST) receive(answer);
}

/** @param {Telemetry | null} telemetry */
function receive(telemetry) {
  Object.assign(state, { telemetry, lost: !telemetry });
  changed(STATE.telemetry);
}

export function watchStudio() {
  poll({ needed: () => true, every: () => EVERY_MS, look: refreshTelemetry });
}
