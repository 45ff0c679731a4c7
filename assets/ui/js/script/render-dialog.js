/** Having takes made: all that are due, or some lines with more choice. */
import { field, openDialog } from "../core/dialog.js";
import { announce, h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post, reason } from "../core/server.js";
import { desk, look, projectPath, setRender } from "./desk.js";
import { tally } from "./lines.js";
import { saved } from "./outbox.js";
import { targets, view } from "./view.js";

const FORM = "render-form";

/** Throws Refusal. @param {Partial<RenderOrder>} order */
async function render(order) {
  const sheet = desk.sheet?.id ?? "";
  await saved();
  setRender(await post(projectPath("/render"), { sheet, lines: null, takes: 1, budget: 0, again: false, ...order }));
  announce(`Rendering ${plural(desk.render?.total ?? 0, "line")}.`);
  await look();
}

/** Every line that has no take or a stale one, or is marked for a retake. */
export function renderDue() {
  return attempt(() => render({}));
}

/** Lines; where each has a take that is not stale, another one. @param {string[]} lines */
export function renderLines(lines) {
  if (!lines.length) return undefined;
  const fresh = lines.every((key) => desk.lines.get(key)?.takes.some(({ stale }) => !stale));
  return attempt(() => render({ lines, again: fresh }));
}

/** The lines that are meant. */
export function renderSelection() {
  return renderLines(targets());
}

/** What can be rendered. @param {number} chosen @param {number} due */
function whichLines(chosen, due) {
  const option = (/** @type {string} */ value, /** @type {string} */ words, /** @type {number} */ count) =>
    h("option", { value, disabled: !count }, `${words}: ${count.toLocaleString("en")}`);
  return [
    option("chosen", view.selected.size ? "Ticked lines" : "Current line", chosen),
    option("due", "Lines that need a take (none, stale, retake)", due),
    option("shown", "All visible lines", view.shown.length),
  ];
}

/** With more choice. */
export function askRender() {
  const { due } = tally(desk.lines.values());
  const chosen = targets();
  const which = h("select", {}, ...whichLines(chosen.length, due));
  which.value = view.selected.size || !due ? "chosen" : "due";
  const takes = h("input", { type: "number", min: 1, max: 16, value: 1, required: true });
  const budget = h("input", { type: "number", min: 0, max: 16, value: 0, required: true });
  const again = h("input", { type: "checkbox" });
  const form = h(
    "form.render-form",
    { id: FORM },
    field("Lines", which),
    field("Takes per voice", takes, "Each take has a different seed."),
    field("Retries", budget, "How many more seeds to try if a check fails."),
    h("label.check", {}, again, "Add takes to lines that already have a take"),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const lines = { chosen, due: null, shown: view.shown }[which.value] ?? null;
    try {
      await render({ lines, takes: Number(takes.value), budget: Number(budget.value), again: again.checked });
      drop();
      dialog.close();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const drop = keepForm(`render ${desk.sheet?.id}`, form);
  const actions = [h("button.primary", { form: FORM }, "Render lines")];
  const dialog = openDialog({ title: "Render lines", look: "narrow", body: [form], actions });
}
