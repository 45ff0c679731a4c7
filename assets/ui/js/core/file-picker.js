/** The file picker of the browser, opened from any button. */
import { h } from "./dom.js";

/** @param {string} accept  kinds of files @param {(file: File) => void} act  called with the chosen file */
export function chooseFile(accept, act) {
  const onchange = () => {
    act(/** @type {FileList} */ (input.files)[0]);
  };
  const input = h("input", { type: "file", accept, onchange });
  input.click();
}
