/**
 * The entry point of the page: starts the theme and the pages, then loads fields and clips, then restores the last
 * draft.
 */
import "./champions/completion.js"; // a job may end before its page is first shown
import { loadChampions, watchChampions } from "./champions/library.js";
import { loadAccess, watchAccess } from "./core/access.js";
import { emit, follow } from "./core/bus.js";
import { moveFocusAfterClicks } from "./core/click-focus.js";
import { whenPresent } from "./core/dom.js";
import { EVENT, STATE } from "./core/events.js";
import * as fields from "./core/fields.js";
import { attempt } from "./core/login.js";
import { page, showPages } from "./core/pages.js";
import { restore, setRestored, state } from "./core/state.js";
import { watchStudio } from "./core/telemetry.js";
import { followSystem } from "./core/theme.js";
import { toast } from "./core/toast.js";
import { completeMarkup } from "./frame/accessibility.js";
import { acceptDrops } from "./frame/drop.js";
import { followKeyboard } from "./frame/keyboard.js";
import { listenForKeys } from "./frame/shortcuts.js";
import { shown } from "./islands.js";
import { loadClips, useClip, watchClips } from "./references/clips.js";
import { keepDrafts, loadDraft } from "./speak/draft.js";
import { mount as mountEngine } from "./speak/engine.js";
import { loadTakes, watchTakes } from "./takes/takes.js";

followSystem();
showPages();
listenForKeys();
mountEngine();
watchStudio();
watchAccess();
completeMarkup();
acceptDrops();
followKeyboard();
moveFocusAfterClicks();
addEventListener("pagehide", () => emit(EVENT.pageLeaves, null));
attempt(begin);

async function begin() {
  const comparing = page() === "compare"; // takes would reveal the names of an open trial
  loadAccess().catch(() => {}); // without an answer, the page shows what visitors see
  await Promise.all([loadClips(), fields.ready, comparing || loadKept()]);
  if (comparing && loadDraft()?.champion) onceLeft(startDraft);
  else await startDraft();
  if (comparing && page() !== "compare") await loadKept();
  setRestored();
  await Promise.all(shown().map((name) => whenPresent(`#island-${name} .island > *`)));
  document.body.dataset.ready = "true";
  watchClips();
  watchTakes();
  watchChampions();
}

function loadKept() {
  return Promise.all([loadTakes(), loadChampions().catch(() => {})]); // the Champions page shows the error
}

/** Restore the last draft of this browser, and keep saving drafts. */
async function startDraft() {
  await restoreDraft();
  keepDrafts();
}

/** @param {() => Promise<void>} act  called when the user leaves the Compare page */
function onceLeft(act) {
  let left = false;
  follow(STATE.page, () => {
    if (page() === "compare" || left) return;
    left = true;
    attempt(act);
  });
}

/**
 * Restore the draft of this browser. If its voice was deleted, use the first sample. A voice that the user chose in the
 * meantime stays.
 */
async function restoreDraft() {
  const kept = loadDraft();
  const draft = kept && { ...kept, ...fields.typedEarly() };
  if (state.voice) return draft ? restore({ ...draft, clip_id: "", champion: "" }, fields.SETTINGS) : undefined;
  if (draft?.clip_id && (await restoreVoice(draft))) return undefined;
  return state.samples.length ? useClip(state.samples[0]) : undefined;
}

/** Restore a draft with its voice. Resolves to true if the champion or the clip still exists. @param {Order} draft */
async function restoreVoice(draft) {
  const isHere = (/** @type {Order} */ order) =>
    restore(order, fields.SETTINGS).then(
      () => true,
      () => false,
    );
  if (await isHere(draft)) return true;
  toast("The voice that you used last was deleted. Another voice is selected.");
  if (draft.champion && (await isHere({ ...draft, champion: "" }))) return true;
  fields.write("script", draft.text);
  return false;
}
