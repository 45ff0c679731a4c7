/**
 * The theme: the system's theme, unless the user chose one, which is remembered. css/tokens.css defines the colours.
 */
import { changed } from "./bus.js";
import { STATE } from "./events.js";
import { load, save } from "./storage.js";

const KEY = "studio-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

export function toggleTheme() {
  const chosen = isDark() ? "light" : "dark";
  save(KEY, chosen);
  apply(chosen);
}

export function followSystem() {
  system.addEventListener("change", () => changed(STATE.theme));
  apply(load(KEY));
}

/** @param {string | null} chosen  null: the system's theme */
function apply(chosen) {
  if (chosen) root.dataset.theme = chosen;
  changed(STATE.theme);
}
