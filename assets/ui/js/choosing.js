/** Asking for a file, from any press. */
import { h } from "./dom.js";

/** @param {string} accept  kinds of files @param {(file: File) => void} act  once one was chosen */
export function chooseFile(accept, act) {
  const input = h("input", { type: "file", accept, onchange: () => act(input.files[0]) });
  input.click();
}
