/** The messages of the Script page in one row. A button opens all of them over the lines. */
import { h } from "../core/dom.js";

/**
 * @param {Node[]} parts  elements that contain messages
 * @param {() => void} onless  called when the user closes the messages
 * @returns {{element: HTMLElement, row: HTMLElement}}
 */
export function notices(parts, onless) {
  const element = h("div.script-notices", { id: "script-notices" }, ...parts);
  const isOpen = () => element.classList.contains("open");
  const onclick = () => {
    if (isOpen()) onless();
    open(!isOpen());
  };
  const more = h("button.quiet.small.more-notices", { type: "button", "aria-controls": element.id, onclick });
  const open = (/** @type {boolean} */ all) => {
    element.classList.toggle("open", all);
    more.setAttribute("aria-expanded", String(all));
    element.scrollTop = 0;
    draw();
  };
  const draw = () => {
    const count = element.querySelectorAll(".script-note, .notice-box").length;
    const all = isOpen();
    if (all && count < 2) return open(false);
    more.hidden = count < 2;
    more.textContent = all ? "Less" : `+${count - 1}`;
    more.title = all ? "Show one message" : "Show all messages";
  };
  open(false);
  new MutationObserver(draw).observe(element, { childList: true, subtree: true });
  const row = h("div.notices-row", {}, element, more);
  closeByEscape(isOpen, onclick);
  document.addEventListener("pointerdown", ({ target }) => {
    if (isOpen() && !row.contains(/** @type {Node} */ (target))) open(false);
  });
  return { element, row };
}

/** Let Escape close an open element, before it unticks lines. @param {() => boolean} isOpen @param {() => void} close */
export function closeByEscape(isOpen, close) {
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const isTyped = /** @type {Element} */ (event.target).closest("input, textarea, dialog");
    if (event.key !== "Escape" || event.defaultPrevented || isTyped || !isOpen()) return;
    event.preventDefault();
    close();
  };
  document.addEventListener("keydown", listener, true);
}
