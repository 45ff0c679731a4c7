/** Where the page begins: theme and page at once, then fields and clips, then what was left here last time. */
import { emit, follow } from "./bus.js";
import { loadClips, useClip } from "./clips.js";
import { keepDrafts, recall } from "./draft.js";
import { whenThere } from "./dom.js";
import { acceptDrops } from "./drops.js";
import { mount as mountEngine } from "./engine.js";
import * as fields from "./fields.js";
import { hearKeys } from "./keys.js";
import { loadChampions } from "./library.js";
import { loadMe } from "./me.js";
import { page, showPages } from "./pages.js";
import { hasBegun, restore, state } from "./state.js";
import { loadTakes } from "./takes.js";
import { watchStudio } from "./telemetry.js";
import { followSystem } from "./theme.js";
import { tidyGradio } from "./tidy.js";
import { toast } from "./toast.js";

// Parts of the page that Gradio makes room for (studio/ui/components/island.py); each is filled by the module of its name.
const PARTS = "header voice report spoken more standing takes listening champions monitor compare strip".split(" ");

followSystem();
showPages();
hearKeys();
mountEngine();
watchStudio();
tidyGradio();
acceptDrops();
addEventListener("pagehide", () => emit("page-leaves"));
begin().catch((error) => toast(error.message, { failed: true }));

async function begin() {
  const listening = page() === "compare"; // where a trial may be open, which takes would spoil
  loadMe().catch(() => {}); // whoever cannot be told sees what visitors see
  await Promise.all([loadClips(), fields.ready, listening || loadKept()]);
  if (listening && recall()?.champion) onceLeft(goOn);
  else await goOn();
  if (listening && page() !== "compare") await loadKept();
  hasBegun();
  await Promise.all(PARTS.map(filled));
  document.body.dataset.ready = "true";
}

function filled(part) {
  return whenThere(`#island-${part} .island > *`);
}

function loadKept() {
  return Promise.all([loadTakes(), loadChampions().catch(() => {})]); // the champions' page says what hinders them
}

/** From where this browser left off. */
async function goOn() {
  await recallDraft();
  keepDrafts();
}

function onceLeft(work) {
  let left = false;
  follow("page", () => {
    if (page() === "compare" || left) return;
    left = true;
    work().catch((error) => toast(error.message, { failed: true }));
  });
}

/** The draft of this browser, without what is gone of its voice; else the first sample. What was chosen meanwhile stays. */
async function recallDraft() {
  const draft = recall() && { ...recall(), ...fields.typedEarly() };
  if (state.voice) return restore({ ...draft, clip_id: "", champion: "" }, fields.SETTINGS);
  const drafts = draft?.clip_id ? [draft, draft.champion && { ...draft, champion: "" }].filter(Boolean) : [];
  for (const one of drafts) {
    const there = await restore(one, fields.SETTINGS).then(
      () => true,
      () => false,
    );
    if (there && one === draft) return;
    toast("The voice you had chosen is no longer here; another takes its place.");
    if (there) return;
    fields.write("script", draft.text);
  }
  if (state.samples.length) await useClip(state.samples[0]);
}
