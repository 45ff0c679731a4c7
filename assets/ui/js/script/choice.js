/** The choice of project and sheet, and a menu of actions on them. */
import { follow } from "../core/bus.js";
import { askWhich } from "../core/dialog.js";
import { toastDeletion } from "../core/disk.js";
import { h, icon, iconButton } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { entry, menu } from "../core/menu.js";
import { get, patch, post, remove } from "../core/server.js";
import { record } from "../core/undo.js";
import { openColumns } from "./columns-dialog.js";
import { beginSheet, chooseSheet, chooseUpdate } from "./imports.js";
import { askName, askPaste } from "./name-dialog.js";
import { openProject, openSheet, projectPath, ROOT, scriptState, sheetPath, withPollingPaused } from "./state.js";

const NEW = "+";

/** Return the two select fields and the menu. */
export function choice() {
  const project = h("select", { "aria-label": "Project" });
  const sheet = h("select", { "aria-label": "Sheet" });
  project.addEventListener("change", () => choose(project, newProject, openProject));
  sheet.addEventListener("change", () => choose(sheet, chooseSheet, openSheet));
  follow(STATE.script, () => {
    drawOptions(project, scriptState.projects ?? [], scriptState.project?.id, "New project…");
    drawOptions(sheet, scriptState.project?.sheets ?? [], scriptState.sheet?.id, "Import sheet…");
  });
  const more = menu(iconButton("dots", "Sheet and project menu"), entries);
  return h(
    "div.script-choice",
    {},
    selectOf(project),
    h("span.slash", { "aria-hidden": "true" }, "/"),
    selectOf(sheet),
    more,
  );
}

/** @param {HTMLSelectElement} select */
export function selectOf(select) {
  return h("span.select", {}, select, icon("down"));
}

/**
 * @param {HTMLSelectElement} select @param {{id: string, name: string}[]} all @param {string | undefined} now
 * @param {string} other
 */
function drawOptions(select, all, now, other) {
  const options = [...all.map(({ id, name }) => [id, name]), [NEW, other]];
  const drawn = JSON.stringify([options, now]);
  if (select.dataset.drawn === drawn) return;
  select.dataset.drawn = drawn;
  select.replaceChildren(...options.map(([value, words]) => h("option", { value, selected: value === now }, words)));
  if (!now) select.value = "";
}

/** @param {HTMLSelectElement} select @param {() => unknown} other @param {(id: string) => Promise<unknown>} open */
function choose(select, other, open) {
  const { value } = select;
  select.dataset.drawn = ""; // forces drawOptions to draw it again
  if (value !== NEW) return attempt(() => open(value));
  select.value = (select.ariaLabel === "Project" ? scriptState.project?.id : scriptState.sheet?.id) ?? "";
  return other();
}

export function newProject() {
  askName("New project", "Name", "Create project", "", async (name) => {
    const project = await post(ROOT, { name });
    await openProject(project.id);
  });
}

function entries() {
  const { project, sheet } = scriptState;
  const file = (/** @type {string} */ kind, /** @type {string} */ words) =>
    h("a", { href: sheetPath(`/file${kind && `?kind=${kind}`}`), download: "" }, words);
  const ofSheet = sheet
    ? [
        entry("Update from file…", chooseUpdate),
        entry("Columns…", openColumns),
        file("", "Save in original format"),
        file("csv", "Save as CSV"),
        file("xlsx", "Save as XLSX"),
        entry("Rename sheet…", () => rename(sheet.name, (name) => patch(sheetPath(), { name }))),
        entry("Delete sheet", removeSheet),
      ]
    : [];
  const ofProject = project
    ? [
        entry("Rename project…", () => rename(project.name, (name) => patch(projectPath(), { name }))),
        entry("Delete project…", askRemoveProject),
      ]
    : [];
  const fresh = [
    entry("Import sheet…", chooseSheet),
    entry("Paste sheet…", askPaste),
    entry("New empty sheet", beginSheet),
  ];
  return [...fresh, ...ofSheet, ...ofProject];
}

/** @param {string} before @param {(name: string) => Promise<unknown>} save */
function rename(before, save) {
  askName(`Rename ${before}`, "Name", "Rename", before, async (name) => {
    await save(name);
    const { id = "" } = scriptState.project ?? {};
    await openProject(id, scriptState.sheet?.id);
  });
}

/** Delete the open sheet; this can be undone. */
function removeSheet() {
  return attempt(async () => {
    const { sheet, project } = scriptState;
    if (!sheet || !project) return;
    await withPollingPaused(async () => {
      await remove(sheetPath());
      await openProject(project.id);
    });
    const back = async () => {
      await post(projectPath(`/sheets/${sheet.id}/restore`, project.id));
      await openProject(project.id, sheet.id);
    };
    record({ words: `delete ${sheet.name}`, back: () => attempt(back) }, `${sheet.name} deleted.`);
  });
}

/** Ask before deleting a project, because it may contain many sheets and takes. */
function askRemoveProject() {
  return attempt(async () => {
    const project = await get(projectPath()); // the current numbers
    const count = (/** @type {"lines" | "takes"} */ what) =>
      project.sheets.reduce(
        (/** @type {number} */ sum, /** @type {Project["sheets"][number]} */ one) => sum + one[what],
        0,
      );
    const parts = [
      plural(project.sheets.length, "sheet"),
      plural(count("lines"), "line"),
      plural(count("takes"), "take"),
    ];
    const words = `This also deletes ${parts[0]}, ${parts[1]} and ${parts[2]}.`;
    askWhich(`Delete ${project.name}?`, words, { "Delete project": () => removeProject(project) });
  });
}

/** Delete a project; this can be undone. @param {Project} project */
function removeProject(project) {
  return attempt(async () => {
    await withPollingPaused(async () => {
      await remove(projectPath("", project.id));
      scriptState.projects = (scriptState.projects ?? []).filter(({ id }) => id !== project.id);
      await openProject(scriptState.projects[0]?.id ?? "");
    });
    const back = async () => {
      await post(projectPath("/restore", project.id));
      await openProject(project.id);
    };
    toastDeletion(`${project.name} deleted.`, { words: `delete ${project.name}`, back: () => attempt(back) });
  });
}
