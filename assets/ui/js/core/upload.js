/** Uploads of large files with progress. They use XMLHttpRequest, because fetch does not report upload progress. */
import { at } from "./address.js";
import { Refusal, refusal } from "./server.js";

/**
 * Send a file as the body of a request and resolve with the answer. Throws Refusal.
 * @param {string} path
 * @param {Blob} file
 * @param {{method?: string, onprogress?: (fraction: number) => void, signal?: AbortSignal}} how
 * @returns {Promise<any>}
 */
export function upload(path, file, { method = "POST", onprogress = () => {}, signal } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, at(path));
    request.responseType = "json";
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onprogress(total ? loaded / total : 0);
    request.onload = () =>
      request.status < 300 ? resolve(request.response) : reject(refusal(request.status, request.response ?? {}));
    request.onerror = () => reject(new Refusal("the upload failed; check that the studio is running, then try again"));
    request.onabort = () => reject(new DOMException("left", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
