/** Starts renders: of all due lines, or of chosen lines with options. */
import { field, openDialog } from "../core/dialog.js";
import { announce, h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { patch, post, reason } from "../core/server.js";
import { tally } from "./lines.js";
import { saved } from "./outbox.js";
import { isRendering, look, projectPath, scriptState, setProject, setRender } from "./state.js";
import { targets, view } from "./view.js";

const FORM = "render-form";

/** Start a render of the open sheet. Throws Refusal. @param {Partial<RenderOrder>} order */
async function render(order) {
  const sheet = scriptState.sheet?.id ?? "";
  await saved();
  const wasRunning = isRendering();
  setRender(await post(projectPath("/render"), { sheet, lines: null, takes: 1, budget: null, again: false, ...order }));
  announce(wasRunning ? "Added to the render." : `Rendering ${plural(scriptState.render?.total ?? 0, "line")}.`);
  await look();
}

/** Render every line that has no take, has a stale take, or is marked for retake. */
export function renderDue() {
  return attempt(() => render({}));
}

/** Render lines. If all of them have a fresh take, add another take to each. @param {string[]} lines */
export function renderLines(lines) {
  if (!lines.length) return undefined;
  const fresh = lines.every((key) => scriptState.lines.get(key)?.takes.some(({ stale }) => !stale));
  return attempt(() => render({ lines, again: fresh }));
}

/** Render the target lines. */
export function renderSelection() {
  return renderLines(targets());
}

/** Return the options of the field "Lines". @param {number} chosen @param {number} due */
function whichLines(chosen, due) {
  const option = (/** @type {string} */ value, /** @type {string} */ words, /** @type {number} */ count) =>
    h("option", { value, disabled: !count }, `${words}: ${count.toLocaleString("en")}`);
  return [
    option("chosen", view.selected.size ? "Ticked lines" : "Current line", chosen),
    option("due", "No take, stale or retake", due),
    option("shown", "All visible lines", view.shown.length),
  ];
}

/** How many more seeds a render of the project tries. */
function retries() {
  return (scriptState.project?.best_of ?? 1) - 1;
}

/** Open the dialog with the options of a render. */
export function askRender() {
  const { due } = tally(scriptState.lines.values());
  const chosen = targets();
  const which = h("select", {}, ...whichLines(chosen.length, due));
  which.value = view.selected.size || !due ? "chosen" : "due";
  const takes = h("input", { type: "number", min: 1, max: 16, value: 1, required: true });
  const budget = h("input", { type: "number", min: 0, max: 16, value: retries(), required: true });
  const always = h("input", { type: "checkbox" });
  const again = h("input", { type: "checkbox" });
  const form = h(
    "form.render-form",
    { id: FORM },
    field("Lines", which),
    field("Takes per voice", takes, "Each take has a different seed."),
    field("Retries", budget, "How many more seeds to try if a check fails, for example if a word is missing."),
    h("label.check", {}, always, "Use this number in all renders of the project"),
    h("label.check", {}, again, "Add takes to lines that already have a take"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const lines = { chosen, due: null, shown: view.shown }[which.value] ?? null;
    try {
      if (always.checked) setProject(await patch(projectPath(), { best_of: Number(budget.value) + 1 }));
      await render({ lines, takes: Number(takes.value), budget: Number(budget.value), again: again.checked });
      drop();
      dialog.close();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const drop = keepForm(`render ${scriptState.sheet?.id}`, form);
  const actions = [h("button.primary", { form: FORM }, "Render lines")];
  const dialog = openDialog({ title: "Render lines", look: "narrow", body: [form], actions });
}
