/** Values that the browser keeps between visits. If storage is full or forbidden, the page works without it. */
import { PREFIX } from "./address.js"; // a prefix for the keys, because two studios may share a host

/** @param {string} key */
export function load(key) {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} text */
export function save(key, text) {
  try {
    localStorage.setItem(PREFIX + key, text);
  } catch {
    // full or forbidden
  }
}

/**
 * @template T @param {string} key @param {T} otherwise  returned if nothing readable is stored @returns {T}
 */
export function loadJson(key, otherwise) {
  try {
    return JSON.parse(load(key) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} key @param {unknown} value */
export function saveJson(key, value) {
  save(key, JSON.stringify(value));
}
