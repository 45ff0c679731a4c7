/** Where the page begins: theme and page at once, then fields and clips, then what was left here last time. */
import "./champions/completion.js"; // a job may end before its page was ever shown
import { loadChampions, watchChampions } from "./champions/library.js";
import { loadAccess, watchAccess } from "./core/access.js";
import { emit, follow } from "./core/bus.js";
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
import { hearKeys } from "./frame/shortcuts.js";
import { shown } from "./islands.js";
import { loadClips, useClip, watchClips } from "./references/clips.js";
import { keepDrafts, loadDraft } from "./speak/draft.js";
import { mount as mountEngine } from "./speak/engine.js";
import { loadTakes, watchTakes } from "./takes/takes.js";

followSystem();
showPages();
hearKeys();
mountEngine();
watchStudio();
watchAccess();
completeMarkup();
acceptDrops();
followKeyboard();
addEventListener("pagehide", () => emit(EVENT.pageLeaves, null));
attempt(begin);

async function begin() {
  const comparing = page() === "compare"; // where a trial may be open, which takes would spoil
  loadAccess().catch(() => {}); // whoever cannot be told sees what visitors see
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
  return Promise.all([loadTakes(), loadChampions().catch(() => {})]); // the champions' page says what hinders them
}

/** From where this browser left off. */
async function startDraft() {
  await restoreDraft();
  keepDrafts();
}

/** @param {() => Promise<void>} act  once another page than Compare shows */
function onceLeft(act) {
  let left = false;
  follow(STATE.page, () => {
    if (page() === "compare" || left) return;
    left = true;
    attempt(act);
  });
}

/**
 * The draft of this browser, without what is gone of its voice; else the first sample. What was chosen meanwhile stays.
 */
async function restoreDraft() {
  const kept = loadDraft();
  const draft = kept && { ...kept, ...fields.typedEarly() };
  if (state.voice) return draft ? restore({ ...draft, clip_id: "", champion: "" }, fields.SETTINGS) : undefined;
  if (draft?.clip_id && (await restoreVoice(draft))) return undefined;
  return state.samples.length ? useClip(state.samples[0]) : undefined;
}

/** Whether anything of its voice was still here. @param {Order} draft */
async function restoreVoice(draft) {
  const isHere = (/** @type {Order} */ order) =>
    restore(order, fields.SETTINGS).then(
      () => true,
      () => false,
    );
  if (await isHere(draft)) return true;
  toast("Your last voice was deleted. Another voice is selected.");
  if (draft.champion && (await isHere({ ...draft, champion: "" }))) return true;
  fields.write("script", draft.text);
  return false;
}
