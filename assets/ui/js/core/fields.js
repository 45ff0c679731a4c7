/** Reads and writes Gradio's fields from outside, when the page restores a draft or a take's settings. */
import { emit } from "./bus.js";
import { whenPresent } from "./dom.js";
import { EVENT } from "./events.js";

/** @typedef {string} FieldName  script, transcript, seed or a setting */

const DRAWN = settingsDrawn();
/** Names of the engines' settings, as in /speak. Each engine uses some of them. */
export const SETTINGS = DRAWN.map(({ name }) => name);
/** The settings with a slider. A slider cannot be empty, so it has a value that stands for the default. */
export const SLIDERS = DRAWN.filter(({ blank }) => blank);
export const NUMBERS = ["seed", ...SETTINGS];

/** Return the label of a number field. @param {string} name */
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

/** Return the setting fields, each with the value that stands for "not chosen". */
function settingsDrawn() {
  const { components, dependencies } = window.gradio_config;
  const taken = dependencies.find(({ api_name }) => api_name === "speak")?.inputs ?? [];
  return taken
    .map((id) => components.find((component) => component.id === id)?.props ?? {})
    .filter(({ elem_classes }) => elem_classes?.includes("setting"))
    .map(({ elem_id = "", label = "", value }) => ({ name: elem_id, label, blank: String(value ?? "") }));
}

/** Resolves when all fields are on the page. */
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

/** Return the element of a field. Call this only after `ready`. @param {FieldName} name */
export function input(name) {
  return /** @type {HTMLInputElement | HTMLTextAreaElement} */ (inputs[name]);
}

/** @param {FieldName} name */
export function text(name) {
  return inputs[name]?.value ?? "";
}

/**
 * Return the script and the transcript that the user typed before the page was ready. A field with its initial value is
 * left out.
 */
export function typedEarly() {
  const initial = window.gradio_config.components.find(({ props }) => props.elem_id === "script");
  const [script, transcript] = [text("script"), text("transcript")];
  return { ...(script !== initial?.props.value && { text: script }), ...(transcript && { transcript }) };
}

/** Return the value of a number field; null if it is empty. @param {FieldName} name */
export function number(name) {
  const value = text(name);
  return value === "" ? null : Number(value);
}

/** Return the values of the named number fields. @param {string[]} names @returns {Settings} */
export function numbers(names = NUMBERS) {
  return Object.fromEntries(names.map((name) => [name, number(name)]));
}

/**
 * Write a field and send an input event, so that Gradio learns the value.
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

/** Focus a field, and unfold the part of the page that contains it. @param {FieldName} name */
export function focus(name) {
  emit(EVENT.reveal, name);
  input(name).focus();
}

/** Insert text at the cursor. @param {FieldName} name @param {string} text */
export function insert(name, text) {
  const field = input(name);
  const before = field.value.slice(0, field.selectionStart ?? undefined);
  const after = field.value.slice(field.selectionEnd ?? field.value.length);
  const space = before && !/\s$/.test(before) ? " " : "";
  replaceSelection(name, `${space}${text}${/^\s/.test(after) ? "" : " "}`);
}

/**
 * Insert `start` before and `end` after the selection, or at the cursor if nothing is selected.
 * @param {FieldName} name @param {string} start @param {string} end
 */
export function enclose(name, start, end) {
  const field = input(name);
  const from = field.selectionStart ?? field.value.length;
  const to = field.selectionEnd ?? from;
  replaceSelection(name, `${start}${field.value.slice(from, to)}${end}`);
  field.setSelectionRange(from + start.length, to + start.length);
}

/** Replace the selection so that Ctrl+Z undoes it. @param {FieldName} name @param {string} text */
function replaceSelection(name, text) {
  const field = input(name);
  field.focus();
  const from = field.selectionStart ?? field.value.length;
  // execCommand is deprecated, but there is no other way to keep the browser's undo history.
  if (document.execCommand("insertText", false, text)) return;
  write(name, field.value.slice(0, from) + text + field.value.slice(field.selectionEnd ?? from));
  field.setSelectionRange(from + text.length, from + text.length);
}

export function engine() {
  const chosen = document.querySelector("#engine input:checked") ?? document.querySelector("#engine input");
  return chosen instanceof HTMLInputElement ? chosen.value : "";
}

/** @param {string} name */
export function chooseEngine(name) {
  /** @type {HTMLElement | null} */ (document.querySelector(`#engine input[value="${CSS.escape(name)}"]`))?.click();
}
