/** Ids, default colours, search and sort order of champions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFree, slug } from "../../assets/ui/js/champions/ids.js";
import { colourOf, random } from "../../assets/ui/js/champions/mark.js";
import { fits, SORTS } from "../../assets/ui/js/champions/search.js";

/** @param {Partial<Champion>} facts */
const champion = (facts) =>
  /** @type {Champion} */ ({ id: "", title: "", notes: "", engine: "f5", votes: null, ...facts });

test("an id is made from a name's ASCII letters and digits", () => {
  assert.equal(slug("Ahri, the Nine-Tailed"), "ahri-the-nine-tailed");
  assert.equal(slug("  Élodie!  "), "elodie");
  assert.equal(slug("九尾"), "");
  assert.equal(slug(`${"x".repeat(63)} y`), "x".repeat(63));
});

test("a used id gets the first free number, within the length limit", () => {
  assert.equal(firstFree("ahri", new Set()), "ahri");
  assert.equal(firstFree("ahri", new Set(["ahri", "ahri-2"])), "ahri-3");
  assert.equal(firstFree("x".repeat(64), new Set(["x".repeat(64)])), `${"x".repeat(60)}-2`);
});

test("colour and random numbers of an id are stable and differ between ids", () => {
  assert.equal(colourOf("ahri"), "#e66bb5");
  assert.equal(random("ahri")(), 0.1713599779177457);
  assert.notEqual(colourOf("ahri"), colourOf("basil"));
  const [one, other] = [random("ahri"), random("ahri")];
  assert.deepEqual([one(), one()], [other(), other()]);
});

test("a champion matches a search if it contains each word of the search", () => {
  const ahri = champion({ id: "ahri", title: "Ahri", notes: "Warm and low" });
  assert.ok(fits(ahri, " WARM ahri "));
  assert.ok(fits(ahri, ""));
  assert.ok(!fits(ahri, "warm basil"));
  assert.ok(fits(champion({ title: "Heidi", language: "de" }), "german"));
});

test("champions are sorted by name, age or votes; those without votes come last", () => {
  const old = champion({ title: "B", saved_at: "2026-01-01", votes: { won: 0, tied: 0, lost: 2 } });
  const young = champion({ title: "A", saved_at: "2026-02-01" });
  const sorted = (/** @type {string} */ name) =>
    [old, young]
      .sort(SORTS[name].compare)
      .map(({ title }) => title)
      .join("");
  assert.deepEqual(["newest", "name", "votes"].map(sorted), ["AB", "AB", "BA"]);
});
