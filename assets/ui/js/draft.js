/** What was typed and chosen, kept in this browser, so that neither a reload nor an error loses it. */
import { follow, on } from "./bus.js";
import { debounced } from "./dom.js";
import { draft, state } from "./state.js";

const KEY = "studio-draft-1";

export function recall() {
  try {
    return JSON.parse(localStorage.getItem(KEY));
  } catch {
    return null; // unreadable or forbidden: begin anew
  }
}

function keep() {
  if (!state.voice) return;
  try {
    localStorage.setItem(KEY, JSON.stringify(draft()));
  } catch {
    // full or forbidden: the page works without
  }
}

/** Start keeping; call once what was recalled is on the page. */
export function keepDrafts() {
  const soon = debounced(200, keep);
  on("field", soon);
  follow(["voice", "champion"], soon);
  addEventListener("pagehide", keep);
}
