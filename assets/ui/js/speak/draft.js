/** The draft of the Speak page. The browser keeps it, so that neither a reload nor an error loses it. */
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

/** Start saving the draft. Call this only after the last draft is restored. */
export function keepDrafts() {
  const soon = debounced(200, saveDraft);
  on(EVENT.field, () => soon());
  follow([STATE.voice, STATE.champion, STATE.language], () => soon());
  addEventListener("pagehide", saveDraft);
}
