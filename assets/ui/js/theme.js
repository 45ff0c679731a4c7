/** Dark first; light is one press away and remembered. */
import { emit } from "./bus.js";

const KEY = "studio-theme";
const root = document.documentElement;

export function isDark() {
  return root.dataset.theme !== "light";
}

export function toggleTheme() {
  apply(isDark() ? "light" : "dark");
  try {
    localStorage.setItem(KEY, root.dataset.theme);
  } catch {
    // not remembered, but applied
  }
}

export function recallTheme() {
  let kept = "dark";
  try {
    kept = localStorage.getItem(KEY) ?? kept;
  } catch {
    // dark then
  }
  apply(kept);
}

function apply(name) {
  root.dataset.theme = name;
  emit("theme", name);
}
