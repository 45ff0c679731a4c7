/** A row of the lexicon: word, pronunciation, voice and options. */
import { h, iconButton } from "../core/dom.js";
import { voices } from "./voices.js";

/** @typedef {(part: Partial<Respelling>) => void} Change */

/** @param {Respelling} entry @param {Change} change @param {() => void} remove */
export function lexiconRow(entry, change, remove) {
  return h(
    "li.respelling",
    {},
    text(entry, "word", "Word", change),
    h("span.arrow", { "aria-hidden": "true" }, "→"),
    text(entry, "spoken", "Spoken as", change),
    voiceChoice(entry, change),
    check(entry, "whole_word", "Whole word", change),
    check(entry, "match_case", "Match case", change),
    iconButton("close", `Remove ${entry.word || "this word"}`, remove),
  );
}

/** @param {Respelling} entry @param {"word" | "spoken"} name @param {string} label @param {Change} change */
function text(entry, name, label, change) {
  const how = { type: "text", value: entry[name], placeholder: label, "aria-label": label, spellcheck: "false" };
  const input = h("input", how);
  input.addEventListener("input", () => change({ [name]: input.value }));
  return input;
}

/** @param {Respelling} entry @param {"match_case" | "whole_word"} name @param {string} words @param {Change} change */
function check(entry, name, words, change) {
  const input = h("input", { type: "checkbox", checked: entry[name] });
  input.addEventListener("change", () => change({ [name]: input.checked }));
  return h("label.check", {}, input, words);
}

/** @param {Respelling} entry @param {Change} change */
function voiceChoice({ voice }, change) {
  const options = [["", "all voices"], ...voices().map(({ id, name }) => [id, name])];
  if (voice && !voices().some(({ id }) => id === voice)) options.push([voice, voice]);
  const select = h("select", { "aria-label": "Apply to voice" });
  select.append(...options.map(([value, words]) => h("option", { value, selected: value === voice }, words)));
  select.addEventListener("change", () => change({ voice: select.value }));
  return select;
}
