/** Where the page begins: theme and page at once, then fields and clips, then what was left here last time. */
import { emit } from "./bus.js";
import { loadClips, useClip } from "./clips.js";
import { keepDrafts, recall } from "./draft.js";
import { mount as mountEngine } from "./engine.js";
import * as fields from "./fields.js";
import { hearKeys } from "./keys.js";
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
addEventListener("pagehide", () => emit("page-leaves"));
begin().catch((error) => toast(error.message, { failed: true }));

async function begin() {
  const listening = document.body.dataset.page === "compare"; // where a trial may be open, which takes would spoil
  const [takes] = await Promise.all([listening ? [] : get("/studio/takes"), loadClips(), fields.ready]);
  setTakes(takes);
  await recallDraft();
  keepDrafts();
  document.body.dataset.ready = "true";
}

/** The draft of this browser, or the first sample. */
async function recallDraft() {
  const draft = recall();
  if (draft?.clip_id) {
    try {
      return await restore(draft, fields.SETTINGS);
    } catch {
      toast("The voice you had chosen is no longer here; a sample takes its place.");
      fields.write("script", draft.text);
    }
  }
  if (state.samples.length) await useClip(state.samples[0]);
}
