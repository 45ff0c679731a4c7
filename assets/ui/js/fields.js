/** Gradio's own fields, read and written from outside: the page restores them, and a take brings its settings back. */
import { emit } from "./bus.js";
import { whenThere } from "./dom.js";

const SELECTORS = {
  script: "#script textarea",
  transcript: "#transcript textarea",
  seed: "#seed input",
  speed: "#speed input[type=number]",
  steps: "#steps input",
  guidance: "#guidance input",
  temperature: "#temperature input",
  top_p: "#top_p input",
  repetition_penalty: "#repetition_penalty input",
};
export const SETTINGS = "speed steps guidance temperature top_p repetition_penalty".split(" "); // each heeded by some engines
const BLANK = { speed: "1" }; // a slider cannot be empty; the others are then left to the studio
const inputs = {};

/** Resolves when every field is on the page. */
export const ready = Promise.all(
  Object.entries(SELECTORS).map(async ([name, selector]) => {
    const input = (inputs[name] = await whenThere(selector));
    input.addEventListener("input", () => emit("field", name));
  }),
)
  .then(() => whenThere("#engine input"))
  .then(() => ["seed", ...SETTINGS].forEach((name) => write(name, null))); // Gradio shows an empty number as 0

export function input(name) {
  return inputs[name];
}

export function text(name) {
  return inputs[name]?.value ?? "";
}

/** The script where somebody typed before the page was ready; nothing where it stands as Gradio drew it. */
export function typedEarly() {
  const { value } = window.gradio_config.components.find(({ props }) => props.elem_id === "script").props;
  return text("script") === value ? {} : { text: text("script") };
}

/** A number field's value; null when it is empty. */
export function number(name) {
  const value = inputs[name]?.value ?? "";
  return value === "" ? null : Number(value);
}

/** Write a field as if it had been typed, so that Gradio knows it too. */
export function write(name, value) {
  const field = inputs[name];
  const text = String(value ?? BLANK[name] ?? "");
  if (!field || field.value === text) return;
  const kind = field.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Put the cursor into a field, wherever the page has folded it away. */
export function focus(name) {
  emit("reveal", name);
  inputs[name].focus();
}

/** Put text where the cursor is, or at the end. */
export function insert(name, text) {
  const field = inputs[name];
  const from = field.selectionStart ?? field.value.length;
  const before = field.value.slice(0, from);
  const space = before && !/\s$/.test(before) ? " " : "";
  const after = field.value.slice(field.selectionEnd ?? from);
  write(name, `${before}${space}${text}${/^\s/.test(after) ? "" : " "}${after}`);
  const cursor = from + space.length + text.length + 1;
  field.focus();
  field.setSelectionRange(cursor, cursor);
}

export function engine() {
  return document.querySelector("#engine input:checked")?.value ?? "f5";
}

export function chooseEngine(name) {
  document.querySelector(`#engine input[value="${CSS.escape(name)}"]`)?.click();
}
