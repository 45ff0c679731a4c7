/**
 * A modal dialog. Escape and a click outside close it. Its messages appear inside, where screen readers announce them.
 */
import { h, iconButton, messagePlace } from "./dom.js";
import { sentence } from "./format.js";

const FIELD = ":is(select, textarea, input:not([type=file], [hidden])):not(:disabled)";
const touch = matchMedia("(pointer: coarse)");
let count = 0;

function nextId() {
  count += 1;
  return count;
}

/**
 * @param {{title: string, look?: string, body: Child[], actions?: Node[], onclose?: () => void}} what
 */
export function openDialog({ title, look = "", body, actions = [], onclose = () => {} }) {
  const id = `sheet-${nextId()}`;
  const trouble = h("p.sheet-trouble", { role: "alert", hidden: true });
  const inner = h("div.sheet-body", {}, ...body);
  const close = () => {
    element.close();
  };
  const cross = iconButton("close", "Close", close);
  const frame = h(
    "div.sheet-frame",
    {},
    h("div.panel-head", {}, h("h2", { id }, title), cross),
    inner,
    trouble,
    actions.length > 0 && h("div.sheet-actions", {}, ...actions),
  );
  const element = h(`dialog.sheet${look && `.${look}`}`, { "aria-labelledby": id }, frame);
  inner.addEventListener("input", () => showError("")); // hide the error as soon as the user types
  element.addEventListener("pointerdown", (event) => event.target === element && close());
  element.addEventListener("close", () => {
    element.remove();
    messagePlace().append(...element.querySelectorAll(".toasts")); // messages stay after the dialog closes
    onclose();
  });
  document.body.append(element);
  element.showModal();
  queueMicrotask(() => focusField(cross, inner)); // after the caller has drawn the fields
  const showError = (/** @type {string} */ text) => {
    trouble.hidden = !text;
    trouble.textContent = text && sentence(text);
    if (text) trouble.scrollIntoView({ block: "nearest" });
  };
  return { element, close, showError, show: (/** @type {Node[]} */ ...nodes) => inner.replaceChildren(...nodes) };
}

/**
 * Move the focus from Close to the first field, as soon as there is one. Not on touch screens, where a keyboard would
 * open.
 * @param {HTMLElement} close @param {HTMLElement} inner
 */
function focusField(close, inner) {
  if (touch.matches) return;
  const look = () => {
    const field = /** @type {HTMLElement | null} */ (inner.querySelector(FIELD));
    if (document.activeElement === close) field?.focus();
    if (field || document.activeElement !== close) watch.disconnect();
  };
  const watch = new MutationObserver(look);
  watch.observe(inner, { childList: true, subtree: true });
  look();
}

/** @typedef {ReturnType<typeof openDialog>} Dialog */

/**
 * Ask a question. The first answer is the default. Closing the dialog gives no answer.
 * @param {string} title @param {string} words @param {Record<string, () => unknown>} answers
 */
export function askWhich(title, words, answers) {
  const buttons = Object.entries(answers).map(([name, act], at) => {
    const onclick = () => {
      dialog.close();
      act();
    };
    return h(at ? "button.quiet" : "button.primary", { type: "button", onclick }, name);
  });
  const dialog = openDialog({ title, look: "narrow", body: [h("p", {}, words)], actions: buttons.reverse() });
}

/**
 * Return a labelled field.
 * @param {string} label
 * @param {HTMLElement} input
 * @param {string | HTMLElement} hint  a hint below the field
 */
export function field(label, input, hint = "") {
  const note = typeof hint === "string" ? h("p.hint", {}, hint) : hint;
  note.id = `hint-${nextId()}`;
  input.setAttribute("aria-describedby", note.id);
  return h("div.sheet-field", {}, h("label", {}, h("span.label", {}, label), input), note);
}

/**
 * Return a button that is disabled while its action runs.
 * @param {string} look @param {string} words @param {() => unknown} act
 */
export function actionButton(look, words, act) {
  const onclick = async () => {
    button.disabled = true;
    await act();
    button.disabled = false;
  };
  const button = h(`button.${look}`, { type: "button", onclick }, words);
  return button;
}
