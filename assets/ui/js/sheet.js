/** A dialog over the page. Escape and a press beside it close it; what it says, it says within, where it is heard. */
import { front, h, iconButton } from "./dom.js";
import { sentence } from "./words.js";

let count = 0;

/**
 * @param {{title: string, look?: string, body: (Node|false|null)[], actions?: Node[], onclose?: () => void}} what
 * @returns {{element: HTMLDialogElement, close: () => void, say: (text: string) => void, show: (...body: Node[]) => void}}
 */
export function openSheet({ title, look = "", body, actions = [], onclose = () => {} }) {
  const id = `sheet-${(count += 1)}`;
  const trouble = h("p.sheet-trouble", { role: "alert", hidden: true });
  const inner = h("div.sheet-body", {}, ...body);
  const close = () => element.close();
  const element = h(
    `dialog.sheet${look && `.${look}`}`,
    { "aria-labelledby": id },
    h(
      "div.sheet-frame",
      {},
      h("div.panel-head", {}, h("h2", { id }, title), iconButton("close", "Close", close)),
      inner,
      trouble,
      actions.length > 0 && h("div.sheet-actions", {}, ...actions),
    ),
  );
  element.addEventListener("pointerdown", (event) => event.target === element && close());
  element.addEventListener("close", () => {
    element.remove();
    front().append(...element.querySelectorAll(":scope > .toasts")); // messages outlive it
    onclose();
  });
  document.body.append(element);
  element.showModal();
  const say = (text) => {
    trouble.hidden = !text;
    trouble.textContent = text && sentence(text);
    if (text) trouble.scrollIntoView({ block: "nearest" });
  };
  return { element, close, say, show: (...nodes) => inner.replaceChildren(...nodes) };
}

/** A labelled field: the label's words, the input, and what there is to say about it: words, or an element of them. */
export function field(label, input, hint = "") {
  const note = typeof hint === "string" ? h("p.hint", {}, hint) : hint;
  note.id = `hint-${(count += 1)}`;
  input.setAttribute("aria-describedby", note.id);
  return h("div.sheet-field", {}, h("label", {}, h("span.label", {}, label), input), note);
}

/** A button that does something and is deaf until it is done. */
export function doing(look, words, act) {
  const button = h(`button.${look}`, {
    type: "button",
    onclick: async () => {
      button.disabled = true;
      await act();
      button.disabled = false;
    },
  });
  button.append(words);
  return button;
}
