/** A cast that was changed and not saved, kept by the characters that differ from the project's cast. */
import { dropDraft, loadDraft, saveDraft } from "../core/drafts.js";

/** @param {string} project */
function about(project) {
  return `cast ${project}`;
}

/** Keep what differs; drop the draft where nothing does. @param {Project} project @param {Cast} cast */
export function keepCast({ id, cast: saved }, cast) {
  const [before, now] = [tidy(saved), tidy(cast)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const other = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  if (other.length) saveDraft(about(id), Object.fromEntries(other.map((name) => [name, now[name] ?? {}])));
  else dropDraft(about(id));
}

/** What was kept; null where nothing was. @param {Project} project @returns {Cast | null} */
export function keptCast({ id }) {
  return loadDraft(about(id));
}

/** @param {Project} project */
export function dropCast({ id }) {
  dropDraft(about(id));
}

/** Without places that nobody took. @param {Cast} cast */
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
