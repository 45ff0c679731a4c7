/** Opens a sheet after its import, and reports the result. */
import { changed } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post } from "../core/server.js";
import { toast } from "../core/toast.js";
import { openColumns } from "./columns-dialog.js";
import { chooseEncoding, uploadSheet } from "./sheet-upload.js";
import { openProject, projectPath, ROOT, reload, scriptState } from "./state.js";

/** Notes on the file of each sheet, until they are dismissed. @type {Map<string, string[]>} */
const notes = new Map();
/** Files that are not Unicode, by sheet. The user can choose another encoding for them. @type {Map<string, File>} */
const sources = new Map();

/**
 * Return the notes on a sheet's file; null if it was not imported just now, or its notes were dismissed.
 * @param {string | undefined} sheet
 */
export function importNotes(sheet) {
  return notes.get(sheet ?? "") ?? null;
}

/** @param {string} sheet */
export function dropImportNotes(sheet) {
  notes.delete(sheet);
  changed(STATE.script);
}

/** Return the action for another encoding; null if the sheet's file is Unicode or not known. @param {string} sheet */
export function otherEncoding(sheet) {
  const file = sources.get(sheet);
  return file ? () => readOtherwise(sheet, file) : null;
}

/** @param {string} sheet @param {File} file */
function readOtherwise(sheet, file) {
  const send = async () => {
    await chooseEncoding(file);
    return uploadSheet(projectPath(`/sheets/${sheet}/file`), file, "PUT");
  };
  return runImport(file.name, send, reportImport, file);
}

/**
 * Open the sheet that `send` imports. The first sheet gets a new project.
 * @param {string} name @param {(project: string) => Promise<Sheet>} send @param {(sheet: Sheet) => void} tell
 * @param {File | null} file  the file of the sheet
 */
export function runImport(name, send, tell = reportImport, file = null) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    announce(`Importing ${name}.`);
    const project = scriptState.project ?? (await post(ROOT, { name: name.replace(/\.[^.]*$/, "") || "Script" }));
    await showImported(project.id, await send(project.id), file);
    if (scriptState.sheet) tell(scriptState.sheet);
  });
}

/** Show a sheet that was just imported. @param {string} project @param {Sheet} sheet @param {File | null} file */
export async function showImported(project, sheet, file = null) {
  notes.set(sheet.id, sheet.file_notes ?? []);
  if (file && sheet.encoding && !sheet.encoding.startsWith("utf")) sources.set(sheet.id, file);
  else sources.delete(sheet.id);
  const shows = sheet.id === scriptState.sheet?.id;
  await openProject(project, sheet.id);
  if (shows) await reload(); // the order of its lines may have changed
}

/** @param {Sheet} sheet */
function reportImport(sheet) {
  const { text, character } = sheet.roles;
  const count = plural([...scriptState.lines.values()].filter(({ deleted }) => !deleted).length, "line");
  if (typeof text !== "number") {
    toast(`${count} imported. No text column found. Choose the text column.`, { failed: true });
    openColumns();
  } else if (typeof character !== "number")
    toast(`${count} imported. No character column found. Choose the column, or use one voice for all lines.`, {
      action: "Columns",
      onaction: openColumns,
    });
  else toast(`${count} imported.`);
}
