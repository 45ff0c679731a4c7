/**
 * What was typed into a form and not saved, kept in this browser by what it is about, until it is saved or given up.
 */
import { loadJson, saveJson } from "../core/storage.js";

const KEY = "studio-unsaved-1";
const KEPT = 20;

/** @param {string} about @returns {ChampionFacts | null} */
export function loadFormDraft(about) {
  return drafts().find(([name]) => name === about)?.[1] ?? null;
}

/** @param {string} about @param {ChampionFacts} facts */
export function saveFormDraft(about, facts) {
  saveJson(KEY, [[about, facts], ...others(about)].slice(0, KEPT));
}

/** @param {string} about */
export function dropFormDraft(about) {
  saveJson(KEY, others(about));
}

/** @param {string} about */
function others(about) {
  return drafts().filter(([name]) => name !== about);
}

/** @returns {[string, ChampionFacts][]} */
function drafts() {
  return loadJson(KEY, []);
}
