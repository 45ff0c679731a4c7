/** A dialog over the page. Escape and a press beside it close it; what it says, it says within, where it is heard. */
import { front, h, iconButton } from "./dom.js";
import { sentence } from "./format.js";

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
  const frame = h(
    "div.sheet-frame",
    {},
    h("div.panel-head", {}, h("h2", { id }, title), iconButton("close", "Close", close)),
    inner,
    trouble,
    actions.length > 0 && h("div.sheet-actions", {}, ...actions),
  );
  const element = h(`dialog.sheet${look && `.${look}`}`, { "aria-labelledby": id }, frame);
  inner.addEventListener("input", () => showError("")); // what was wrong is being corrected
  element.addEventListener("pointerdown", (event) => event.target === element && close());
  element.addEventListener("close", () => {
    element.remove();
    (front().querySelector(".sheet-frame") ?? document.body).append(...element.querySelectorAll(".toasts")); // messages outlive it
    onclose();
  });
  document.body.append(element);
  element.showModal();
  const showError = (/** @type {string} */ text) => {
    trouble.hidden = !text;
    trouble.textContent = text && sentence(text);
    if (text) trouble.scrollIntoView({ block: "nearest" });
  };
  return { element, close, showError, show: (/** @type {Node[]} */ ...nodes) => inner.replaceChildren(...nodes) };
}

/** @typedef {ReturnType<typeof openDialog>} Dialog */

/**
 * A question with its answers, the first of which is the likely one; closed, none of them was given.
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
 * A labelled field.
 * @param {string} label
 * @param {HTMLElement} input
 * @param {string | HTMLElement} hint  what there is to say about it
 */
export function field(label, input, hint = "") {
  const note = typeof hint === "string" ? h("p.hint", {}, hint) : hint;
  note.id = `hint-${nextId()}`;
  input.setAttribute("aria-describedby", note.id);
  return h("div.sheet-field", {}, h("label", {}, h("span.label", {}, label), input), note);
}

/**
 * A button that is disabled until what it does is done.
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
