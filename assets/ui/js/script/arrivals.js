/** A sheet that has just come in: opened, and what there is to know of it. */
import { changed } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post } from "../core/server.js";
import { toast } from "../core/toast.js";
import { openColumns } from "./columns-dialog.js";
import { desk, openProject, projectPath, ROOT, reload } from "./desk.js";
import { chooseEncoding, uploadSheet } from "./sheet-upload.js";

/** Notes on the file of each sheet, until they are dismissed. @type {Map<string, string[]>} */
const notes = new Map();
/** Files that are not Unicode, by sheet; another encoding can be chosen for them. @type {Map<string, File>} */
const sources = new Map();

/** Notes on a sheet's file; null where it did not come in just now, or its notes were dismissed. @param {string | undefined} sheet */
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
  return bring(file.name, send, told, file);
}

/**
 * Open the sheet that `send` brings; the first one gets a new project.
 * @param {string} name @param {(project: string) => Promise<Sheet>} send @param {(sheet: Sheet) => void} tell
 * @param {File | null} file  from which the sheet comes
 */
export function bring(name, send, tell = told, file = null) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    announce(`Importing ${name}.`);
    const project = desk.project ?? (await post(ROOT, { name: name.replace(/\.[^.]*$/, "") || "Script" }));
    await arrived(project.id, await send(project.id), file);
    if (desk.sheet) tell(desk.sheet);
  });
}

/** Show a sheet that has just come in. @param {string} project @param {Sheet} sheet @param {File | null} file */
export async function arrived(project, sheet, file = null) {
  notes.set(sheet.id, sheet.file_notes ?? []);
  if (file && sheet.encoding && !sheet.encoding.startsWith("utf")) sources.set(sheet.id, file);
  else sources.delete(sheet.id);
  const shows = sheet.id === desk.sheet?.id;
  await openProject(project, sheet.id);
  if (shows) await reload(); // its lines may stand in another order
}

/** @param {Sheet} sheet */
function told(sheet) {
  const { text, character } = sheet.roles;
  const count = plural([...desk.lines.values()].filter(({ deleted }) => !deleted).length, "line");
  if (typeof text !== "number") {
    toast(`${count} imported, but no text column was found. Choose the text column.`, { failed: true });
    openColumns();
  } else if (typeof character !== "number")
    toast(`${count} imported. No character column was found.`, {
      action: "Columns",
      onaction: openColumns,
    });
  else toast(`${count} imported.`);
}
