/** Large files on their way to the studio: fetch tells nothing of what has left, the older way does. */
import { Refusal, refusal } from "./server.js";

/**
 * Send a file as the body of a request and resolve with the answer. Throws Refusal.
 * @param {{method?: string, told?: (fraction: number) => void, signal?: AbortSignal}} how
 */
export function deliver(path, file, { method = "POST", told = () => {}, signal = null } = {}) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    request.responseType = "json";
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => told(total ? loaded / total : 0);
    request.onload = () =>
      request.status < 300 ? resolve(request.response) : reject(refusal(request.status, request.response ?? {}));
    request.onerror = () =>
      reject(new Refusal("the file did not get through; check that the studio runs, then try again"));
    request.onabort = () => reject(new DOMException("left", "AbortError"));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
