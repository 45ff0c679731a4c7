/** Champion ids, by the studio's rules. */

const LONGEST = 64;

/** Return an id made from a name's ASCII letters and digits; empty if it has none. @param {string} name */
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

/** Return the id; if it is already used, with a number added. @param {string} id @param {Set<string>} taken */
export function firstFree(id, taken) {
  let free = id;
  for (let count = 2; taken.has(free); count += 1) free = `${id.slice(0, LONGEST - 4)}-${count}`;
  return free;
}
