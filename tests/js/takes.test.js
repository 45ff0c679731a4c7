/** Which takes a search and a folder leave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, foldersOf, noneWords } from "../../assets/ui/js/takes/fits.js";

/** @param {Partial<Order>} order */
const take = (order, folder = "") =>
  /** @type {Take} */ (
    /** @type {unknown} */ ({
      order: { text: "", champion: "", seed: 7, ...order },
      engine: "f5",
      folder,
    })
  );

const found = (/** @type {Take} */ one, /** @type {string} */ search, spoken = "") =>
  fits(one, { search, folder: null }, spoken);

test("a take fits a search when each of its words is in the text, the voice, the engine or the seed", () => {
  const one = take({ text: "Welcome to the rift.", champion: "ahri", seed: 421 });
  const fitting = ["", "  rift  welcome", "ahri", "f5 rift", "seed 421", "amber F5-TTS"];
  const searches = [...fitting, "rift basil", "s1", "seed 422"];
  assert.deepEqual(
    searches.filter((search) => found(one, search, "Amber F5-TTS")),
    fitting,
  );
});

test("case and accents make no difference, on either side", () => {
  const one = take({ text: "Élodie stößt auf Ολυμπιάδα, ﬁrst Ǆ" });
  const searches = ["ELODIE", "élodie", "STÖSST", "stosst", "ολυμπιαδα", "FIRST", "e\u0301lodie"];
  assert.deepEqual(
    searches.filter((search) => found(one, search)),
    searches,
  );
});

test("a folder leaves its own takes, no folder those in none, and every folder all", () => {
  const one = take({ text: "One." }, "Act 2");
  assert.deepEqual(
    [null, "Act 2", "Act", ""].map((folder) => fits(one, { search: "one", folder })),
    [true, true, false, false],
  );
  assert.ok(fits(take({}), { search: "", folder: "" }));
});

test("folders stand once, as people count", () => {
  const takes = ["Act 10", "", "Act 2", "Act 10"].map((folder) => take({}, folder));
  assert.deepEqual(foldersOf(takes), ["Act 2", "Act 10"]);
});

test("it is said where nothing was found", () => {
  /** @type {[string, string | null, string][]} */
  const said = [
    [" rift ", null, "No takes match “rift”."],
    ["rift", "Act 2", "No takes match “rift” in “Act 2”."],
    ["", "Act 2", "No takes in “Act 2”."],
    [" ", "", "No takes without folder."],
  ];
  for (const [search, folder, words] of said) assert.equal(noneWords({ search, folder }), words);
});
