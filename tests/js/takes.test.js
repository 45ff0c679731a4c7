/** Search, folders and word positions of takes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fits, foldersOf, noneWords } from "../../assets/ui/js/takes/fits.js";
import { placesOf, resultOf, wordAt } from "../../assets/ui/js/takes/heard.js";

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

test("a take matches a search if text, voice, engine or seed contain each word", () => {
  const one = take({ text: "Welcome to the rift.", champion: "ahri", seed: 421 });
  const fitting = ["", "  rift  welcome", "ahri", "f5 rift", "seed 421", "amber F5-TTS"];
  const searches = [...fitting, "rift basil", "s1", "seed 422"];
  assert.deepEqual(
    searches.filter((search) => found(one, search, "Amber F5-TTS")),
    fitting,
  );
});

test("the search ignores case and accents", () => {
  const one = take({ text: "Élodie stößt auf Ολυμπιάδα, ﬁrst Ǆ" });
  const searches = ["ELODIE", "élodie", "STÖSST", "stosst", "ολυμπιαδα", "FIRST", "e\u0301lodie"];
  assert.deepEqual(
    searches.filter((search) => found(one, search)),
    searches,
  );
});

test("the filter shows one folder, takes without folder, or all takes", () => {
  const one = take({ text: "One." }, "Act 2");
  assert.deepEqual(
    [null, "Act 2", "Act", ""].map((folder) => fits(one, { search: "one", folder })),
    [true, true, false, false],
  );
  assert.ok(fits(take({}), { search: "", folder: "" }));
});

test("folders are listed once, in natural order", () => {
  const takes = ["Act 10", "", "Act 2", "Act 10"].map((folder) => take({}, folder));
  assert.deepEqual(foldersOf(takes), ["Act 2", "Act 10"]);
});

test("the message for an empty result names search and folder", () => {
  /** @type {[string, string | null, string][]} */
  const said = [
    [" rift ", null, "No takes match “rift”."],
    ["rift", "Act 2", "No takes match “rift” in “Act 2”."],
    ["", "Act 2", "No takes in “Act 2”."],
    [" ", "", "No takes without folder."],
  ];
  for (const [search, folder, words] of said) assert.equal(noneWords({ search, folder }), words);
});

test("a take without a clear word gets a warning", () => {
  const heard = { complete: null, missing: [], misheard: [], added: [], message: "", transcript: "", faults: [] };
  const of = (/** @type {string[]} */ unsure) =>
    resultOf(/** @type {Take} */ (/** @type {unknown} */ ({ heard: { ...heard, unsure }, hearing: false })));
  assert.deepEqual(of(["Behind", "you"]), { words: "No word heard clearly", sign: "warn" });
  assert.deepEqual(of([]), { words: "Words not checked" });
});

test("each written word is found after the word before it", () => {
  const words = ["No,", "no", "no", "Bo"].map((word, at) => ({ word, start_s: at, end_s: at + 0.5 }));
  assert.deepEqual(placesOf("No, no: no (Bo)", words), [
    [0, 3],
    [4, 6],
    [8, 10],
    [12, 14],
  ]);
  assert.deepEqual(placesOf("[No, not] No, no", words).slice(0, 2), [
    [1, 4],
    [14, 16],
  ]);
  assert.deepEqual(placesOf("No, no", words), [[0, 3], [4, 6], null, null]);
  assert.deepEqual(
    [0, 0.4, 0.5, 3.2, 9].map((at_s) => wordAt(words, at_s)),
    [0, 0, -1, 3, -1],
  );
});

test("a take whose words are all heard says so with a tick", () => {
  const none = { missing: [], misheard: [], added: [], unsure: [], faults: [], transcript: "", message: "" };
  const heard = /** @type {HeardTake} */ (/** @type {unknown} */ ({ complete: true, ...none }));
  const shown = (/** @type {HeardTake | null} */ one, hearing = false) => resultOf({ heard: one, hearing });
  assert.deepEqual(shown(heard), { words: "All words heard", sign: "check" });
  assert.deepEqual(shown({ ...heard, complete: false, message: "The take is silent." }).sign, "warn");
  assert.deepEqual(shown({ ...heard, complete: null }), { words: "Words not checked" });
  assert.deepEqual(shown(null, true), { words: "Checking words…" });
});
