/** What was typed and chosen, kept in this browser, so that neither a reload nor an error loses it. */
import { follow, on } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import { draft, state } from "../core/state.js";
import { loadJson, saveJson } from "../core/storage.js";
import { debounced } from "../core/timing.js";

const KEY = "studio-draft-1";

/** @returns {Order | null} */
export function loadDraft() {
  return loadJson(KEY, null);
}

function saveDraft() {
  if (state.voice) saveJson(KEY, draft());
}

/** Start keeping; call once what was kept is on the page. */
export function keepDrafts() {
  const soon = debounced(200, saveDraft);
  on(EVENT.field, () => soon());
  follow([STATE.voice, STATE.champion], () => soon());
  addEventListener("pagehide", saveDraft);
}
