/** The address of the studio: the root of a host, or a prefix that a proxy strips from each path. */

// From the folder of this file up to the root: core, js, the version, assets, studio.
const { pathname, protocol } = new URL("../../../../../", import.meta.url);

/** The prefix; empty at the root of the host, and in tests without a server. */
export const PREFIX = protocol === "file:" ? "" : pathname.replace(/\/$/, "");

/** Return a path of the studio with the prefix; other addresses stay unchanged. @param {string} path */
export function at(path) {
  return path.startsWith("/") ? PREFIX + path : path;
}
