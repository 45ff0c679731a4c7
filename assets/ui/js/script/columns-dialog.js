/** The dialog that assigns roles to the columns of a sheet. Columns without a role are kept unchanged. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { patch, reason } from "../core/server.js";
import { ROLES } from "./lines.js";
import { reload, roles, scriptState, sheetPath } from "./state.js";

const SHOWN = 3; // example cells of each column
const HINT = "The studio speaks the text column. Unused columns stay in the sheet and are saved unchanged.";

export function openColumns() {
  const { sheet } = scriptState;
  if (!sheet) return;
  const meanings = sheet.columns.map((title, column) => meaning(title, column));
  const save = actionButton("primary", "Save columns", async () => {
    try {
      await patch(sheetPath(), { roles: chosen(meanings) });
      drop();
      dialog.close();
      await reload();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  for (const select of meanings) select.addEventListener("change", () => onlyOne(select, meanings));
  const rows = sheet.columns.map((title, column) => row(title || `Column ${column + 1}`, column, meanings[column]));
  const body = h("div.column-body", {}, h("p.hint", {}, HINT), h("ul.column-list", {}, ...rows));
  const drop = keepForm(`columns ${sheet.id} ${JSON.stringify(roles())}`, body);
  const dialog = openDialog({
    title: `Columns of ${sheet.name}`,
    look: "wide",
    body: [body],
    actions: [save],
  });
}

/** @param {string} title @param {number} column */
function meaning(title, column) {
  const now = Object.entries(roles()).find(([, at]) => at === column)?.[0] ?? "";
  const options = [["", "Not used"], ...Object.entries(ROLES)];
  return h(
    "select",
    { "aria-label": `Role of column ${title || column + 1}` },
    ...options.map(([value, words]) => h("option", { value, selected: value === now }, words)),
  );
}

/**
 * Clear the other fields with the same role, because a role has only one column.
 * @param {HTMLSelectElement} select @param {HTMLSelectElement[]} all
 */
function onlyOne(select, all) {
  for (const other of all) if (other !== select && select.value && other.value === select.value) other.value = "";
}

/** @param {string} title @param {number} column @param {HTMLElement} select */
function row(title, column, select) {
  const said = [...scriptState.lines.values()].map(({ cells }) => cells[column]).filter(Boolean);
  const some = [...new Set(said)].slice(0, SHOWN).join(" · ");
  return h("li", {}, h("div", {}, h("b", {}, title), h("p.hint", { title: some }, some || "empty")), select);
}

/** Return the column of each role; null if it has none. @param {HTMLSelectElement[]} meanings */
function chosen(meanings) {
  return Object.fromEntries(
    Object.keys(ROLES).map((role) => {
      const column = meanings.findIndex(({ value }) => value === role);
      return [role, column < 0 ? null : column];
    }),
  );
}
