/** What is being done to a clip, in words, for as long as it is done. */
import { changed } from "./bus.js";

const works = new Set();

/** The words for what was begun last; empty while nothing is done. */
export function busy() {
  return [...works].at(-1)?.words ?? "";
}

export async function during(words, work) {
  const mine = { words };
  works.add(mine);
  changed("busy");
  try {
    return await work();
  } finally {
    works.delete(mine);
    changed("busy");
  }
}
