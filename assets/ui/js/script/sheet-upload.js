/** Uploads files of sheets, with the encoding that the user chose. */
import { Refusal } from "../core/server.js";
import { upload } from "../core/upload.js";
import { askEncoding } from "./encoding-dialog.js";

const UNCERTAIN = "uncertain_encoding"; // error code of the studio
/** Encodings that the user chose. @type {WeakMap<File, string>} */
const encodings = new WeakMap();

/** Return the chosen encoding of a file; empty if the studio decides. @param {File} file */
export function encodingOf(file) {
  return encodings.get(file) ?? "";
}

/**
 * Upload a sheet's file. If the encoding is uncertain, ask for it and upload the file again. Throws Refusal,
 * AbortError.
 * @param {string} path  may contain a query @param {File} file @param {"POST" | "PUT"} method
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

/** Ask for the encoding of a file. Throws AbortError if none is chosen. @param {File} file */
export async function chooseEncoding(file) {
  const chosen = await askEncoding(file);
  if (!chosen) throw new DOMException("no encoding was chosen", "AbortError");
  encodings.set(file, chosen);
}
