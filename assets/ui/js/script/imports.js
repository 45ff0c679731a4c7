/** Bringing sheets in: a file, a paste, an example; a project is made for the first. */
import { announce } from "../core/dom.js";
import { chooseFile } from "../core/file-picker.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post } from "../core/server.js";
import { bring } from "./arrivals.js";
import { desk, projectPath } from "./desk.js";
import { EXAMPLE } from "./example.js";
import { uploadSheet } from "./sheet-upload.js";
import { openUpdate } from "./update-dialog.js";

const EMPTY = "id\tcharacter\ttext\n";
const ACCEPTED = ".csv,.tsv,.txt,.xlsx";

export function chooseSheet() {
  chooseFile(ACCEPTED, importSheet);
}

/** Choose the changed file of the open sheet, whatever the file is called. */
export function chooseUpdate() {
  const { sheet } = desk;
  if (sheet)
    chooseFile(ACCEPTED, (file) => openUpdate({ file, sheet: sheet.id, others: { "Add as new sheet": adds(file) } }));
}

/** Where a sheet of the project has the file's name or its texts, the file may be its update. @param {File} file */
export function importSheet(file) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    const likely = desk.project?.sheets.length
      ? await uploadSheet(projectPath("/sheets/candidates"), file, "POST")
      : [];
    if (likely.length) await openUpdate({ file, sheet: likely[0].id, others: { "Add as new sheet": adds(file) } });
    else await adds(file)();
  });
}

/** @param {File} file */
function adds(file) {
  return () =>
    bring(file.name, (project) => uploadSheet(projectPath("/sheets", project), file, "POST"), undefined, file);
}

/** Cells that are a sheet of their own, while another one is open. @param {string} text @param {() => void} into  puts them into its cells */
export function pasteOver(text, into) {
  const { sheet } = desk;
  if (!sheet) return pasteSheet(text);
  const file = new File([text], "pasted.tsv");
  const others = { "Add as new sheet": () => pasteSheet(text), "Paste into cells": into };
  return openUpdate({ file, sheet: sheet.id, others });
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
  return bring(order.name, send, () => announce("Empty sheet created. Add a line."));
}
