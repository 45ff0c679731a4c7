/** Where the page begins: theme and page at once, then fields and clips, then what was left here last time. */
import { emit, on } from "./bus.js";
import { loadClips, useClip } from "./clips.js";
import { keepDrafts, recall } from "./draft.js";
import { acceptDrops } from "./drops.js";
import { mount as mountEngine } from "./engine.js";
import * as fields from "./fields.js";
import { hearKeys } from "./keys.js";
import { loadChampions } from "./library.js";
import { loadMe } from "./me.js";
import { showPages } from "./pages.js";
import { get } from "./server.js";
import { restore, setTakes, state } from "./state.js";
import { watchStudio } from "./telemetry.js";
import { recallTheme } from "./theme.js";
import { tidyGradio } from "./tidy.js";
import { toast } from "./toast.js";

recallTheme();
showPages();
hearKeys();
mountEngine();
watchStudio();
tidyGradio();
acceptDrops();
addEventListener("pagehide", () => emit("page-leaves"));
begin().catch((error) => toast(error.message, { failed: true }));

async function begin() {
  const listening = document.body.dataset.page === "compare"; // where a trial may be open, which takes would spoil
  const known = listening ? [[]] : [get("/studio/takes"), loadChampions().catch(() => {})]; // its page says what hinders it
  loadMe().catch(() => {}); // whoever cannot be told sees what visitors see
  const [takes] = await Promise.all([...known, loadClips(), fields.ready]);
  setTakes(takes);
  if (listening && recall()?.champion) onceLeft(goOn);
  else await goOn();
  document.body.dataset.ready = "true";
}

/** From where this browser left off. */
async function goOn() {
  await recallDraft();
  keepDrafts();
}

function onceLeft(work) {
  let left = false;
  on("page", (page) => {
    if (page === "compare" || left) return;
    left = true;
    work();
  });
}

/** The draft of this browser, without what is gone of its voice; else the first sample. */
async function recallDraft() {
  const draft = recall();
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
