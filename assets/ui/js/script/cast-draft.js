/** The draft of an unsaved cast. It contains only the characters that differ from the saved cast. */
import { dropDraft, loadDraft, saveDraft } from "../core/drafts.js";

/** @param {string} project */
function about(project) {
  return `cast ${project}`;
}

/**
 * Save the characters that differ from the saved cast as a draft; drop the draft if none differ.
 * @param {Project} project @param {Cast} cast
 */
export function saveCastDraft({ id, cast: saved }, cast) {
  const [before, now] = [tidy(saved), tidy(cast)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const other = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  if (other.length) saveDraft(about(id), Object.fromEntries(other.map((name) => [name, now[name] ?? {}])));
  else dropDraft(about(id));
}

/** Return the unsaved draft of the cast; null if there is none. @param {Project} project @returns {Cast | null} */
export function castDraft({ id }) {
  return loadDraft(about(id));
}

/** @param {Project} project */
export function dropCastDraft({ id }) {
  dropDraft(about(id));
}

/** Return the cast without entries that have no voice. @param {Cast} cast */
export function tidy(cast) {
  /** @type {Cast} */
  const after = {};
  for (const [character, by] of Object.entries(cast))
    for (const [emotion, all] of Object.entries(by)) {
      const chosen = all.filter(({ voice }) => voice);
      if (chosen.length) after[character] = { ...after[character], [emotion]: chosen };
    }
  return after;
}
