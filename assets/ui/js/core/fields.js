/** Gradio's own fields, read and written from outside: the page restores them, and a take brings its settings back. */
import { emit } from "./bus.js";
import { whenPresent } from "./dom.js";
import { EVENT } from "./events.js";

/** @typedef {string} FieldName  script, transcript, seed or a setting */

const DRAWN = settingsDrawn();
/** Names of the engines' settings, as /speak takes them; each is heeded by some engines. */
export const SETTINGS = DRAWN.map(({ name }) => name);
/** Of these, the ones with a value of their own: sliders, which cannot be empty. The others are then left to the studio. */
export const SLIDERS = DRAWN.filter(({ blank }) => blank);
export const NUMBERS = ["seed", ...SETTINGS];

/** The label of a number's field. @param {string} name */
export function labelOf(name) {
  return DRAWN.find((one) => one.name === name)?.label ?? "Seed";
}

/** @type {Record<FieldName, string>} */
const SELECTORS = {
  script: "#script textarea",
  transcript: "#transcript textarea",
  ...Object.fromEntries(NUMBERS.map((name) => [name, `#${name} input[type=number]`])),
};
const BLANK = Object.fromEntries(DRAWN.map(({ name, blank }) => [name, blank]));
/** @type {{[name: FieldName]: HTMLInputElement | HTMLTextAreaElement | undefined}} */
const inputs = {};

/** The fields of settings, and what each holds when nothing is chosen. */
function settingsDrawn() {
  const { components, dependencies } = window.gradio_config;
  const taken = dependencies.find(({ api_name }) => api_name === "speak")?.inputs ?? [];
  return taken
    .map((id) => components.find((component) => component.id === id)?.props ?? {})
    .filter(({ elem_classes }) => elem_classes?.includes("setting"))
    .map(({ elem_id = "", label = "", value }) => ({ name: elem_id, label, blank: String(value ?? "") }));
}

/** Resolves when every field is on the page. */
export const ready = Promise.all(Object.keys(SELECTORS).map(find))
  .then(() => whenPresent("#engine input"))
  .then(() => {
    for (const name of NUMBERS) write(name, null); // Gradio shows an empty number as 0
  });

/** @param {FieldName} name */
async function find(name) {
  /** @type {HTMLInputElement} */
  const found = await whenPresent(SELECTORS[name]);
  inputs[name] = found;
  found.addEventListener("input", () => emit(EVENT.field, name));
}

/** Once the fields are ready. @param {FieldName} name */
export function input(name) {
  return /** @type {HTMLInputElement | HTMLTextAreaElement} */ (inputs[name]);
}

/** @param {FieldName} name */
export function text(name) {
  return inputs[name]?.value ?? "";
}

/** The script where somebody typed before the page was ready; nothing where it stands as Gradio drew it. */
export function typedEarly() {
  const drawn = window.gradio_config.components.find(({ props }) => props.elem_id === "script");
  return text("script") === drawn?.props.value ? {} : { text: text("script") };
}

/** A number field's value; null when it is empty. @param {FieldName} name */
export function number(name) {
  const value = text(name);
  return value === "" ? null : Number(value);
}

/** Those of the number fields that are named. @param {string[]} names @returns {Settings} */
export function numbers(names = NUMBERS) {
  return Object.fromEntries(names.map((name) => [name, number(name)]));
}

/**
 * Write a field as if it had been typed, so that Gradio knows it too.
 * @param {FieldName} name @param {unknown} value
 */
export function write(name, value) {
  const field = inputs[name];
  const text = String(value ?? BLANK[name] ?? "");
  if (!field || field.value === text) return;
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Put the cursor into a field, wherever the page has folded it away. @param {FieldName} name */
export function focus(name) {
  emit(EVENT.reveal, name);
  input(name).focus();
}

/** Put text where the cursor is, or at the end. @param {FieldName} name @param {string} text */
export function insert(name, text) {
  const field = input(name);
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
  const chosen = /** @type {HTMLInputElement | null} */ (document.querySelector("#engine input:checked"));
  return chosen?.value ?? "f5";
}

/** @param {string} name */
export function chooseEngine(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#engine input[value="${CSS.escape(name)}"]`))?.click();
}
