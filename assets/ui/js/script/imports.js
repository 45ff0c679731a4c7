/** Bringing sheets in: a file, a paste, an example; a project is made for the first. */
import { changed } from "../core/bus.js";
import { askWhich } from "../core/dialog.js";
import { announce } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { chooseFile } from "../core/file-picker.js";
import { plural } from "../core/format.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post, Refusal } from "../core/server.js";
import { toast } from "../core/toast.js";
import { upload } from "../core/upload.js";
import { openColumns } from "./columns-dialog.js";
import { desk, openProject, projectPath, ROOT, reload } from "./desk.js";
import { askEncoding } from "./encoding-dialog.js";
import { EXAMPLE } from "./example.js";
import { saved } from "./outbox.js";

const EMPTY = "id\tcharacter\ttext\n";
/** What there is to know of sheets that came in, until it was read. @type {Map<string, string[]>} */
const notes = new Map();
const ACCEPTED = ".csv,.tsv,.txt,.xlsx";
const UNCERTAIN = "uncertain_encoding"; // the code of a refusal
/** Encodings that the person chose. @type {WeakMap<File, string>} */
const encodings = new WeakMap();
/** Files that are not Unicode, by sheet; another encoding can be chosen for them. @type {Map<string, File>} */
const sources = new Map();

/** @param {string | undefined} sheet */
export function importNotes(sheet) {
  return notes.get(sheet ?? "") ?? [];
}

/** Return the action for another encoding; null if the sheet's file is Unicode or not known. @param {string} sheet */
export function otherEncoding(sheet) {
  const file = sources.get(sheet);
  return file ? () => readOtherwise(sheet, file) : null;
}

/** @param {string} sheet @param {File} file */
function readOtherwise(sheet, file) {
  const send = async () => {
    encodings.set(file, (await askEncoding(file)) || leave());
    return uploadSheet(projectPath(`/sheets/${sheet}/file?name=${nameOf(file)}`), file, "PUT");
  };
  return bring(file.name, send, told, file);
}

/**
 * Send a sheet's file. If the encoding is uncertain, ask for it and send the file again. Throws Refusal, AbortError.
 * @param {string} path  with a query @param {File} file @param {"POST" | "PUT"} method
 * @returns {Promise<any>}
 */
async function uploadSheet(path, file, method) {
  const encoding = encodings.get(file);
  try {
    return await upload(encoding ? `${path}&encoding=${encoding}` : path, file, { method });
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.code !== UNCERTAIN) throw error;
    encodings.set(file, (await askEncoding(file)) || leave());
    return uploadSheet(path, file, method);
  }
}

/** @returns {never} */
function leave() {
  throw new DOMException("no encoding was chosen", "AbortError");
}

/** They were read. @param {string} sheet */
export function dropImportNotes(sheet) {
  notes.delete(sheet);
  changed(STATE.script);
}

export function chooseSheet() {
  chooseFile(ACCEPTED, importSheet);
}

/** One of a name that is here already may be it, changed. @param {File} file */
export function importSheet(file) {
  const path = `/sheets?name=${nameOf(file)}`;
  const add = () => bring(file.name, (project) => uploadSheet(projectPath(path, project), file, "POST"), told, file);
  const here = desk.project?.sheets.find(({ name }) => name === file.name);
  return here ? askUpdate(here, file, { "Keep both": add }) : add();
}

/** Cells that are a sheet of their own, while another one is open. @param {string} text @param {() => void} into  puts them into its cells */
export function pasteOver(text, into) {
  const { sheet } = desk;
  if (!sheet) return pasteSheet(text);
  const file = new File([text], "pasted.tsv");
  return askUpdate(sheet, file, { "Bring in as another sheet": () => pasteSheet(text), "Paste into the cells": into });
}

/** @param {File} file */
function nameOf({ name }) {
  return encodeURIComponent(name);
}

/**
 * Whether a file is the sheet that is here, changed; nothing happens before the answer.
 * @param {{id: string, name: string}} sheet @param {File} file @param {Record<string, () => unknown>} others  what else it may be
 */
function askUpdate({ id, name }, file, others) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    await saved();
    const path = projectPath(`/sheets/${id}/file?name=${nameOf(file)}`);
    const counts = await uploadSheet(`${path}&preview=true`, file, "PUT");
    const words = `${plural(counts.changed, "line")} changed, ${counts.added} new, ${counts.gone} gone`;
    const update = () =>
      bring(
        file.name,
        () => uploadSheet(path, file, "PUT"),
        () => toast(`${name} is updated: ${words}.`),
        file,
      );
    askWhich(`Update ${name}?`, `${words}. Lines of the same id keep their takes.`, { Update: update, ...others });
  });
}

/** Cells as a spreadsheet puts them on the clipboard. @param {string} text */
export function pasteSheet(text, name = "pasted.tsv") {
  return bring(name, (project) => post(projectPath("/sheets/paste", project), { text, name }));
}

export function bringExample() {
  return pasteSheet(EXAMPLE, "example.tsv");
}

/** A sheet of which every line is yet to be written. */
export function beginSheet() {
  const order = { text: EMPTY, name: "script.tsv" };
  const send = (/** @type {string} */ project) => post(projectPath("/sheets/paste", project), order);
  return bring(order.name, send, () => announce("An empty sheet is here."));
}

/**
 * @param {string} name @param {(project: string) => Promise<Sheet>} send @param {(sheet: Sheet) => void} tell
 * @param {File | null} file  from which the sheet comes
 */
function bring(name, send, tell = told, file = null) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    announce(`Reading ${name}.`);
    const project = desk.project ?? (await post(ROOT, { name: name.replace(/\.[^.]*$/, "") || "Script" }));
    const sheet = await send(project.id);
    notes.set(sheet.id, sheet.notes ?? []);
    if (file && sheet.encoding && !sheet.encoding.startsWith("utf")) sources.set(sheet.id, file);
    else sources.delete(sheet.id);
    const shows = sheet.id === desk.sheet?.id;
    await openProject(project.id, sheet.id);
    if (shows) await reload(); // its lines may stand in another order
    tell(sheet);
  });
}

/** @param {Sheet} sheet */
function told(sheet) {
  const { text, character } = sheet.roles;
  const count = plural(sheet.lines.length, "line");
  if (typeof text !== "number") {
    toast(`${count} are here, but no column was recognised as what is said.`, { failed: true });
    openColumns();
  } else if (typeof character !== "number")
    toast(`${count} are here. No column was recognised as the character.`, {
      action: "Columns",
      onaction: openColumns,
    });
  else toast(`${count} are here.`);
}
