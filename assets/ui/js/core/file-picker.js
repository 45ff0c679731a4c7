/** Asking for a file, from any press. */
import { h } from "./dom.js";

/** @param {string} accept  kinds of files @param {(file: File) => void} act  once one was chosen */
export function chooseFile(accept, act) {
  const onchange = () => {
    act(/** @type {FileList} */ (input.files)[0]);
  };
  const input = h("input", { type: "file", accept, onchange });
  input.click();
}
