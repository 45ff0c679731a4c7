/** Where the studio is: at the root of its host, or behind a proxy that strips a prefix from each path. */

// From this file's folder up to the root: core, js, the version, assets, studio.
const { pathname, protocol } = new URL("../../../../../", import.meta.url);

/** The prefix; empty at the root, and in tests without a server. */
export const PREFIX = protocol === "file:" ? "" : pathname.replace(/\/$/, "");

/** A path of the studio as a browser asks for it; other addresses stay as they are. @param {string} path */
export function at(path) {
  return path.startsWith("/") ? PREFIX + path : path;
}
