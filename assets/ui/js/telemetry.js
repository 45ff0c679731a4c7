/** Asks the studio how it is once a second, while someone looks; with the plots' data only while they are on screen. */
import { changed } from "./bus.js";
import { page } from "./pages.js";
import { get } from "./server.js";
import { state } from "./state.js";

const EVERY_MS = 1000;
const LOST = 3; // answers missing in a row before the page says so
let missed = 0;
let looks = 0;

async function look() {
  if (document.hidden || document.body.classList.contains("blind")) return; // it names engines
  const mine = (looks += 1);
  const told = await get(`/studio/telemetry?series=${page() === "monitor"}`).catch(() => null);
  if (mine !== looks) return; // a later look may have been answered already
  missed = told ? 0 : missed + 1;
  if (told || missed === LOST) receive(told);
}

function receive(told) {
  Object.assign(state, { telemetry: told, lost: !told });
  changed("telemetry");
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
