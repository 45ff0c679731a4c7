/** Limits how often functions are called. */

/**
 * Return a function that calls `call` with the last arguments, once `wait_ms` passed without a further call.
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

/** Return a function that calls `act` at most once per animation frame. @param {() => void} act */
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
