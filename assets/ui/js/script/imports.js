/** Imports sheets: from a file, from the clipboard, or the example. The first sheet creates a project. */
import { announce } from "../core/dom.js";
import { chooseFile } from "../core/file-picker.js";
import { attempt, ownerOnly } from "../core/login.js";
import { post } from "../core/server.js";
import { runImport } from "./arrivals.js";
import { EXAMPLE } from "./example.js";
import { uploadSheet } from "./sheet-upload.js";
import { projectPath, scriptState } from "./state.js";
import { openUpdate } from "./update-dialog.js";

const EMPTY = "id\tcharacter\ttext\n";
const ACCEPTED = ".csv,.tsv,.txt,.xlsx";

export function chooseSheet() {
  chooseFile(ACCEPTED, importSheet);
}

/** Choose the changed file of the open sheet. The file may have any name. */
export function chooseUpdate() {
  const { sheet } = scriptState;
  if (sheet)
    chooseFile(ACCEPTED, (file) => openUpdate({ file, sheet: sheet.id, others: { "Add as new sheet": adds(file) } }));
}

/**
 * Import a file. If a sheet of the project has the same name or similar texts, the file may be its update, so ask
 * first.
 * @param {File} file
 */
export function importSheet(file) {
  return attempt(async () => {
    if (!(await ownerOnly())) return;
    const likely = scriptState.project?.sheets.length
      ? await uploadSheet(projectPath("/sheets/candidates"), file, "POST")
      : [];
    if (likely.length) await openUpdate({ file, sheet: likely[0].id, others: { "Add as new sheet": adds(file) } });
    else await adds(file)();
  });
}

/** @param {File} file */
function adds(file) {
  return () =>
    runImport(file.name, (project) => uploadSheet(projectPath("/sheets", project), file, "POST"), undefined, file);
}

/**
 * Ask what to do with pasted cells that look like a sheet, while another sheet is open.
 * @param {string} text @param {() => void} into  pastes into the cells of the open sheet
 */
export function pasteOver(text, into) {
  const { sheet } = scriptState;
  if (!sheet) return pasteSheet(text);
  const file = new File([text], "pasted.tsv");
  const others = { "Add as new sheet": () => pasteSheet(text), "Paste into cells": into };
  return openUpdate({ file, sheet: sheet.id, others });
}

/** Import cells in the clipboard format of spreadsheets. @param {string} text */
export function pasteSheet(text, name = "pasted.tsv") {
  return runImport(name, (project) => post(projectPath("/sheets/paste", project), { text, name }));
}

export function bringExample() {
  return pasteSheet(EXAMPLE, "example.tsv");
}

/** Create a sheet without lines. */
export function beginSheet() {
  const order = { text: EMPTY, name: "script.tsv" };
  const send = (/** @type {string} */ project) => post(projectPath("/sheets/paste", project), order);
  return runImport(order.name, send, () => announce("Empty sheet created. Add a line."));
}
