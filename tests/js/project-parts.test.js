/** Parts of a project's cast and lexicon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lexiconOf, lexiconParts, merged, otherParts } from "../../assets/ui/js/script/project-parts.js";

test("a merge keeps words that another window changed", () => {
  const entry = (/** @type {string} */ word, /** @type {string} */ spoken) => ({
    ...{ word, spoken, match_case: false, whole_word: true, voice: "", language: "" },
  });
  const before = lexiconParts([entry("Kael", "kayl"), entry("Ahri", "ah-ree")]);
  const change = otherParts(
    before,
    lexiconParts([entry("Kael", "kyle"), entry("Ahri", "ah-ree"), entry("Lux", "luks")]),
  );
  assert.deepEqual(
    change.map(({ name }) => name.replaceAll("\0", "")),
    ["Kael", "Lux"],
  );
  const elsewhere = lexiconParts([entry("Kael", "kayl"), entry("Ahri", "ah ree"), entry("Jinx", "jinks")]);
  const spoken = lexiconOf(merged(elsewhere, change)).map(({ word, spoken }) => `${word} ${spoken}`);
  assert.deepEqual(spoken, ["Kael kyle", "Ahri ah ree", "Jinx jinks", "Lux luks"]);
});
