/** Names of the checks of a take on the page. */

/** Names that differ from the studio's; the other names are shown unchanged. @type {Record<string, string>} */
const SHOWN = {
  checks: "all checks",
  edges: "first and last word",
  fit: "length limit",
  likeness: "voice",
  runaway: "control",
  silence: "pause",
  sound: "audio",
};

/** @param {string} name */
export function checkName(name) {
  return SHOWN[name] ?? name;
}
