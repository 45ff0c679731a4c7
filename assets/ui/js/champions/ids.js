/** Ids of champions, as the studio makes them. */

const LONGEST = 64;

/** A name's plain letters and digits; empty where it has none. @param {string} name */
export function slug(name) {
  const plain = name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .toLowerCase();
  return plain
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, LONGEST)
    .replace(/[-_]+$/, "");
}

/** The id itself, or with a number where it is taken. @param {string} id @param {Set<string>} taken */
export function firstFree(id, taken) {
  let free = id;
  for (let count = 2; taken.has(free); count += 1) free = `${id.slice(0, LONGEST - 4)}-${count}`;
  return free;
}
