/** Repeated looks at the studio. No page switch, sleep of the machine, restart of the studio or lost answer ends them. */
import { follow } from "./bus.js";
import { STATE } from "./events.js";
import { sleep } from "./timing.js";

const CHECK_MS = 500; // between two questions whether a look is needed
const LOST_MS = 10_000; // an answer that takes longer is not awaited

/**
 * Look at once when a look becomes needed, when the tab shows again and when the network is back; then every `every()`
 * milliseconds. `look` ignores answers that a later one overtook.
 * @param {{needed: () => unknown, every: () => number, look: () => Promise<unknown>}} how
 */
export function poll({ needed, every, look }) {
  let timer = 0;
  let looking = false;
  let due = 0; // when the next look is; performance.now()
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
