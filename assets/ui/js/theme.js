/** The system's theme, until another is chosen here; a choice is remembered. The colours themselves are css/tokens.css. */
import { changed } from "./bus.js";

const KEY = "studio-theme";
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

export function toggleTheme() {
  const chosen = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // not remembered, but applied
  }
  apply(chosen);
}

export function followSystem() {
  system.addEventListener("change", () => changed("theme"));
  apply(recalled());
}

/** @param {string|null} chosen  null leaves it to the system */
function apply(chosen) {
  if (chosen) root.dataset.theme = chosen;
  changed("theme");
}

function recalled() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
