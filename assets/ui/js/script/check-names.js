/** What the page calls the checks of a take. */

/** Names that need other words; the rest are shown as the studio gives them. @type {Record<string, string>} */
const SHOWN = {
  checks: "all checks",
  edges: "first and last word",
  fit: "length limit",
  likeness: "voice",
  silence: "pause",
  sound: "audio",
};

/** @param {string} name */
export function checkName(name) {
  return SHOWN[name] ?? name;
}
