import assert from "node:assert/strict";
import { test } from "node:test";
import { appliesTo } from "../../assets/ui/js/script/lexicon-languages.js";

test("an entry without a language applies to lines of every language", () => {
  assert.deepEqual(
    ["de", "pt-BR", ""].map((language) => appliesTo("", language)),
    [true, true, true],
  );
});

test("an entry with a language applies to lines of this language and of all its regions", () => {
  assert.ok(appliesTo("de", "de") && appliesTo("de", "de-AT") && appliesTo("de-AT", "de"));
  assert.ok(appliesTo("de-AT", "de-at-u-co-phonebk") && appliesTo("zh-Hant-TW", "zh-TW"));
});

test("an entry does not apply to other languages and regions, nor to lines without a language", () => {
  assert.ok(!appliesTo("de", "fr") && !appliesTo("pt-BR", "pt-PT") && !appliesTo("de", ""));
});
