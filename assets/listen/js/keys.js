/** Passes the keys that the focused element does not handle to the view. */

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
const WRITING = "textarea, select, input:not([type=radio], [type=range])";

/** Call `act` for each key, with letters in upper case. It returns true if it used the key. @param {(key: string) => boolean} act */
export function followKeys(act) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (isNative(event.key, target)) {
      if (event.repeat && target.matches("button")) event.preventDefault(); // a held Enter must not press the next page's button
      return;
    }
    const key = nameOf(event);
    if (event.repeat ? key === " " : act(key)) event.preventDefault(); // a Space that is held must not scroll the page
  });
}

/** Return the key, with letters in upper case, also of a layout without Latin letters. @param {KeyboardEvent} event */
function nameOf({ key, code }) {
  if (key.length > 1) return key;
  return /^[ -~]$/.test(key) ? key.toUpperCase() : code.replace("Key", "");
}

/** Return true if the element itself handles the key. @param {string} key @param {HTMLElement} target */
function isNative(key, target) {
  if (target.matches(WRITING)) return true;
  if (key === "Enter") return target.matches("button, a, summary");
  if (key === " ") return target.matches("button, summary, input[type=radio]");
  return ARROWS.includes(key) && target.matches("input, [role=slider]");
}
