/** A row of the lexicon: word, pronunciation, voice, language and options. */
import { h, iconButton } from "../core/dom.js";
import { languageName } from "../core/format.js";
import { voices } from "./voices.js";

/** @typedef {(part: Partial<Respelling>) => void} Change */

/** @param {Respelling} entry @param {string[]} languages  tags @param {Change} change @param {() => void} remove */
export function lexiconRow(entry, languages, change, remove) {
  return h(
    "li.respelling",
    {},
    text(entry, "word", "Word", change),
    h("span.arrow", { "aria-hidden": "true" }, "→"),
    text(entry, "spoken", "Spoken as", change),
    voiceChoice(entry, change),
    languageChoice("Apply to language", ["", "every language"], languages, entry.language, (language) =>
      change({ language }),
    ),
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
  return choice("Apply to voice", options, voice, (value) => change({ voice: value }));
}

/**
 * Return a select with languages by name, after a first option that is no language.
 * @param {string} label @param {string[]} first  value and words @param {string[]} languages  tags
 * @param {string} now @param {(language: string) => void} choose
 */
export function languageChoice(label, first, languages, now, choose) {
  const tags = [...new Set([...languages, now])].filter((tag) => tag !== first[0]);
  const named = tags.map((tag) => [tag, tag ? languageName(tag) : "every language"]);
  return choice(label, [first, ...named.toSorted(([, one], [, other]) => one.localeCompare(other))], now, choose);
}

/** @param {string} label @param {string[][]} options @param {string} now @param {(value: string) => void} choose */
function choice(label, options, now, choose) {
  const select = h("select", { "aria-label": label });
  select.append(...options.map(([value, words]) => h("option", { value, selected: value === now }, words)));
  select.addEventListener("change", () => choose(select.value));
  return select;
}
