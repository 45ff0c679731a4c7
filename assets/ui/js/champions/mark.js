/** A default colour and random numbers derived from an id. */

/** Return the default colour of an id, as #rrggbb. @param {string} id */
export function colourOf(id) {
  const hue = Math.floor(360 * random(`${id} colour`)());
  const part = (/** @type {number} */ place) => {
    const turn = (place + hue / 30) % 12;
    return Math.round(255 * (0.66 - 0.24 * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return `#${[0, 8, 4].map((place) => part(place).toString(16).padStart(2, "0")).join("")}`;
}

/** Return a generator of numbers in [0, 1) that is seeded by the id (FNV-1a, then mulberry32). @param {string} id */
export function random(id) {
  let seed = 2166136261;
  for (const letter of id) seed = Math.imul(seed ^ (letter.codePointAt(0) ?? 0), 16777619);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
