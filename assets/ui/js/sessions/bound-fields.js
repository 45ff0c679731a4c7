/** Fields that write what the user types into an object. */
import { h } from "../core/dom.js";

/**
 * @template {string} Name
 * @param {Record<Name, string>} object @param {Name} name @param {Attributes} attributes
 */
export function textField(object, name, attributes = {}) {
  const input = h("input", { type: "text", value: object[name], ...attributes });
  input.addEventListener("input", () => {
    object[name] = input.value;
  });
  return input;
}

/**
 * @template {string} Name
 * @param {Record<Name, string>} object @param {Name} name @param {Attributes} attributes
 */
export function areaField(object, name, attributes = {}) {
  const area = h("textarea", attributes, object[name]);
  area.addEventListener("input", () => {
    object[name] = area.value;
  });
  return area;
}

/**
 * Return a field for a whole number.
 * @template {string} Name
 * @param {Record<Name, number>} object @param {Name} name @param {number} min @param {number} max
 */
export function countField(object, name, min, max) {
  const input = h("input", { type: "number", required: true, step: 1, min, max, value: object[name] });
  input.addEventListener("input", () => {
    if (input.value !== "") object[name] = Number(input.value);
  });
  return input;
}

/**
 * @template {string} Name
 * @param {Record<Name, boolean>} object @param {Name} name @param {string} words @param {string} hint
 */
export function checkField(object, name, words, hint = "") {
  const input = h("input", { type: "checkbox", checked: object[name] });
  input.addEventListener("input", () => {
    object[name] = input.checked;
  });
  return h("label.check.field", {}, input, h("span", {}, words, hint && h("span.hint", {}, hint)));
}

/**
 * @param {string} now @param {string[][]} options  values and words
 * @param {(value: string) => void} choose @param {Attributes} attributes
 */
export function selectField(now, options, choose, attributes = {}) {
  const select = h("select", attributes);
  select.append(...options.map(([value, words]) => h("option", { value, selected: value === now }, words)));
  select.addEventListener("change", () => choose(select.value));
  return select;
}
