/** Poll the studio. Polling survives page switches, sleep of the machine, restarts of the studio and lost answers. */
import { follow } from "./bus.js";
import { STATE } from "./events.js";
import { sleep } from "./timing.js";

const CHECK_MS = 500; // between two checks whether polling is needed
const LOST_MS = 10_000; // a later answer is ignored

/**
 * Call `look` as soon as it is needed, when the tab is visible again and when the network is back; then every `every()`
 * milliseconds. `look` has to ignore answers that are older than the latest one.
 * @param {{needed: () => unknown, every: () => number, look: () => Promise<unknown>}} how
 */
export function poll({ needed, every, look }) {
  let timer = 0;
  let looking = false;
  let due = 0; // time of the next look; performance.now()
  let woken = false; // since the look began

  async function turn() {
    clearTimeout(timer);
    if (looking) return;
    looking = true;
    if (isNeeded() && performance.now() >= due) {
      woken = false;
      await Promise.race([look(), sleep(LOST_MS)]).catch(() => {});
      due = woken ? 0 : performance.now() + every();
    } else if (!isNeeded()) due = 0;
    looking = false;
    timer = setTimeout(turn, isNeeded() ? Math.max(0, due - performance.now()) : CHECK_MS);
  }

  const isNeeded = () => !document.hidden && needed();
  const wake = () => {
    woken = true;
    due = 0;
    turn();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  follow(STATE.page, wake);
}
