/** Poll the studio. Polling survives page switches, sleep of the machine, restarts of the studio and lost answers. */
import { follow } from "./bus.js";
import { STATE } from "./events.js";
import { sleep } from "./timing.js";

const CHECK_MS = 500; // between two checks whether polling is needed
const LOST_MS = 8000; // after which the next look does not wait for an answer
const FRESH_MS = 300; // a look that began so recently is not given up for another

/** What a page hears after it slept, was frozen, came back from history or got its network back. */
const WAKING = /** @type {const} */ ([
  [document, "visibilitychange"],
  [document, "resume"],
  [window, "online"],
  [window, "pageshow"],
  [window, "focus"],
]);

/**
 * Call `look` as soon as it is needed and whenever the page wakes; then every `every()` milliseconds. `look` has to ignore
 * answers that are older than the latest one. Return what makes it look now.
 * @param {{needed: () => unknown, every: () => number, look: () => Promise<unknown>}} how
 */
export function poll({ needed, every, look }) {
  let timer = 0;
  let [turns, began, due] = [0, -Infinity, 0]; // how many looks began, when the latest did, when the next is due
  let looking = false;
  let woken = false; // since the look began

  async function turn() {
    clearTimeout(timer);
    turns += 1;
    const mine = turns;
    if (isNeeded() && performance.now() >= due) {
      [looking, woken, began] = [true, false, performance.now()];
      await Promise.race([look(), sleep(LOST_MS)]).catch(() => {});
      if (mine !== turns) return; // another one began meanwhile
      looking = false;
      due = woken ? 0 : performance.now() + every();
    } else if (!isNeeded()) [due, looking] = [0, false];
    timer = setTimeout(turn, isNeeded() ? Math.max(0, due - performance.now()) : CHECK_MS);
  }

  const isNeeded = () => !document.hidden && needed();
  const wake = () => {
    due = 0;
    if (looking && performance.now() - began < FRESH_MS) woken = true;
    else turn();
  };
  for (const [target, name] of WAKING) target.addEventListener(name, wake);
  follow(STATE.page, wake);
  return wake;
}
