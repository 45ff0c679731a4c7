/** The dialog that changes one column of all target lines: a new value, or find and replace. */
import { field, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { plural } from "../core/format.js";
import { toast } from "../core/toast.js";
import { fill } from "./acts.js";
import { scriptState } from "./state.js";
import { perform } from "./undo.js";
import { targets } from "./view.js";

const FORM = "fill-form";

export function openFill() {
  const { sheet } = scriptState;
  if (!sheet) return;
  const column = h(
    "select",
    {},
    ...sheet.columns.map((title, at) => h("option", { value: at }, title || `Column ${at + 1}`)),
  );
  const sought = h("input", { type: "text", spellcheck: "false" });
  const value = h("input", { type: "text" });
  const form = h(
    "form.fill",
    { id: FORM },
    field("Column", column),
    field("Find", sought, "Leave empty to replace the whole cell."),
    field("Replace with", value),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    drop();
    dialog.close();
    if (sought.value) replace(Number(column.value), sought.value, value.value);
    else fill(Number(column.value), value.value);
  });
  const drop = keepForm(`change ${sheet.id}`, form);
  const dialog = openDialog({
    title: `Change ${plural(targets().length, "line")}`,
    look: "narrow",
    body: [form],
    actions: [h("button.primary", { form: FORM }, "Change lines")],
  });
}

/** @param {number} column @param {string} sought @param {string} value */
function replace(column, sought, value) {
  const cells = targets().map((line) => {
    const before = scriptState.lines.get(line)?.cells[column] ?? "";
    return { line, column, value: before.replaceAll(sought, value) };
  });
  const count = cells.filter(({ line, value: after }) => after !== scriptState.lines.get(line)?.cells[column]).length;
  if (!perform({ cells }, `replace “${sought}”`, { message: `${plural(count, "line")} changed.` }))
    toast(`None of these lines contains “${sought}” in this column.`);
}
