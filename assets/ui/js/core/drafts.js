/**
 * Unsaved input of dialogs. The browser keeps each draft under a key until it is saved or discarded.
 */
import { h } from "./dom.js";
import { loadJson, saveJson } from "./storage.js";

const KEY = "studio-unsaved-1";
const KEPT = 20;
const TYPED = "input:not([type=file], [type=password], [type=search]), textarea, select";

/** @template T @param {string} about @returns {T | null} */
export function loadDraft(about) {
  return drafts().find(([name]) => name === about)?.[1] ?? null;
}

/** @param {string} about @param {unknown} draft */
export function saveDraft(about, draft) {
  saveJson(KEY, [[about, draft], ...others(about)].slice(0, KEPT));
}

/** @param {string} about */
export function dropDraft(about) {
  const left = others(about);
  if (left.length < drafts().length) saveJson(KEY, left);
}

/** Return a note that a draft was restored, with a button that discards it. @param {() => void} startOver */
export function draftNote(startOver) {
  const onclick = () => {
    startOver();
    note.remove();
  };
  const note = h(
    "p.notice",
    {},
    h("span", {}, "Unsaved changes restored."),
    h("button.link", { type: "button", onclick }, "Discard changes"),
  );
  return note;
}

/**
 * Restore the draft of a form, and keep its input as a draft from now on. Returns a function that drops the draft.
 * @param {string} about @param {HTMLElement} form
 */
export function keepForm(about, form) {
  const fields = () => /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll(TYPED)]);
  const read = () => fields().map((field) => (field.type === "checkbox" ? field.checked : field.value));
  const write = (/** @type {(string | boolean)[]} */ values) => {
    for (const [at, field] of fields().entries()) {
      if (field.type === "checkbox") field.checked = Boolean(values[at]);
      else if (field instanceof HTMLInputElement || has(field, values[at])) field.value = String(values[at]);
    }
  };
  const before = read();
  const keep = () => {
    if (JSON.stringify(read()) === JSON.stringify(before)) dropDraft(about);
    else saveDraft(about, read());
  };
  form.addEventListener("input", keep);
  form.addEventListener("change", keep);
  /** @type {(string | boolean)[] | null} */
  const draft = loadDraft(about);
  if (draft?.length === before.length) {
    write(draft);
    const startOver = () => {
      write(before);
      dropDraft(about);
      fields()[0]?.focus();
    };
    form.prepend(draftNote(startOver));
  }
  return () => dropDraft(about);
}

/**
 * Return true if a field can take a value: a list needs an enabled option with this value.
 * @param {HTMLElement} field @param {string | boolean} value
 */
function has(field, value) {
  return (
    !(field instanceof HTMLSelectElement) ||
    [...field.options].some((option) => option.value === value && !option.disabled)
  );
}

/** @param {string} about */
function others(about) {
  return drafts().filter(([name]) => name !== about);
}

/** @returns {[string, any][]} */
function drafts() {
  return loadJson(KEY, []);
}
