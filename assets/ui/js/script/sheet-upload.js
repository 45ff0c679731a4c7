/** Sheets' files on their way to the studio, with the encoding that somebody chose. */
import { Refusal } from "../core/server.js";
import { upload } from "../core/upload.js";
import { askEncoding } from "./encoding-dialog.js";

const UNCERTAIN = "uncertain_encoding"; // the code of a refusal
/** Encodings that the person chose. @type {WeakMap<File, string>} */
const encodings = new WeakMap();

/** The encoding that was chosen for a file; empty where the studio decides. @param {File} file */
export function encodingOf(file) {
  return encodings.get(file) ?? "";
}

/**
 * Send a sheet's file. If the encoding is uncertain, ask for it and send the file again. Throws Refusal, AbortError.
 * @param {string} path  with a query @param {File} file @param {"POST" | "PUT"} method
 * @returns {Promise<any>}
 */
export async function uploadSheet(path, file, method) {
  const encoding = encodings.get(file);
  const named = `${path}${path.includes("?") ? "&" : "?"}name=${encodeURIComponent(file.name)}`;
  try {
    return await upload(encoding ? `${named}&encoding=${encoding}` : named, file, { method });
  } catch (error) {
    if (!(error instanceof Refusal) || error.body.code !== UNCERTAIN) throw error;
    await chooseEncoding(file);
    return uploadSheet(path, file, method);
  }
}

/** Throws AbortError where none is chosen. @param {File} file */
export async function chooseEncoding(file) {
  const chosen = await askEncoding(file);
  if (!chosen) throw new DOMException("no encoding was chosen", "AbortError");
  encodings.set(file, chosen);
}
