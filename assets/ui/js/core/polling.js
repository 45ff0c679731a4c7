/** Poll the studio. Polling survives page switches, sleep of the machine, restarts of the studio and lost answers. */
import { follow } from "./bus.js";
import { STATE } from "./events.js";
import { sleep } from "./timing.js";

const CHECK_MS = 1000; // between two checks whether polling is needed
const LOST_MS = 8000; // time after which the next call of `look` does not wait for the previous one
const FRESH_MS = 300; // a call that is younger than this is not replaced by a new one

/** Events after the page was asleep, frozen, in the history or offline. */
const WAKING = /** @type {const} */ ([
  [document, "visibilitychange"],
  [document, "resume"],
  [window, "online"],
  [window, "pageshow"],
  [window, "focus"],
]);

/**
 * Call `look` as soon as it is needed and whenever the page wakes; then every `every()` milliseconds. `look` must
 * ignore answers that are older than the latest one. Returns a function that calls `look` at once.
 * @param {{needed: () => unknown, every: () => number, look: () => Promise<unknown>}} how
 */
export function poll({ needed, every, look }) {
  let timer = 0;
  let [turns, began, due] = [0, -Infinity, 0]; // number of calls, time of the latest call, time of the next call
  let looking = false;
  let woken = false; // whether the page woke since the call began

  async function turn() {
    clearTimeout(timer);
    turns += 1;
    const mine = turns;
    if (isNeeded() && performance.now() >= due) {
      [looking, woken, began] = [true, false, performance.now()];
      await Promise.race([look(), sleep(LOST_MS)]).catch(() => {});
      if (mine !== turns) return; // another call began in the meantime
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
