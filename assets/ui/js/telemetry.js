/** Asks the studio how it is once a second, while someone looks; with the plots' data only while they are on screen. */
import { emit } from "./bus.js";
import { get } from "./server.js";
import { state } from "./state.js";

const EVERY_MS = 1000;
const LOST = 3; // answers missing in a row before the page says so
let missed = 0;

async function look() {
  if (document.hidden || document.body.classList.contains("blind")) return; // it names engines
  try {
    const series = document.body.dataset.page === "monitor";
    state.telemetry = await get(`/studio/telemetry?series=${series}`);
    missed = 0;
    emit("telemetry", state.telemetry);
  } catch {
    missed += 1;
    if (missed === LOST) emit("telemetry", (state.telemetry = null));
  }
}

export async function watchStudio() {
  document.addEventListener("visibilitychange", look);
  for (;;) {
    await look();
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

/** Look now, rather than with the next tick. */
export const lookNow = look;
