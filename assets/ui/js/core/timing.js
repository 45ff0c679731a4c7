/** When things are done: seldom enough. */

/**
 * Waits until nobody has asked for `wait_ms`, then calls with the last arguments.
 * @template {unknown[]} Arguments
 * @param {number} wait_ms
 * @param {(...args: Arguments) => unknown} call
 */
export function debounced(wait_ms, call) {
  let timer = 0;
  return (/** @type {Arguments} */ ...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...args), wait_ms);
  };
}

/** At most once in a frame, however often it is asked for. @param {() => void} act */
export function oncePerFrame(act) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      act();
    });
  };
}

/** @param {number} time_ms */
export function sleep(time_ms) {
  return new Promise((resolve) => setTimeout(resolve, time_ms));
}
