/** Results of votes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../../assets/ui/js/compare/verdict.js";

const NAMES = ["F5", "S1"];

/** @type {[string, {wins: number, losses: number, low: number, high: number}, string][]} */
const CASES = [
  ["ties alone prefer nothing", { wins: 0, losses: 0, low: 0, high: 1 }, "No preference so far."],
  ["five votes are too few", { wins: 5, losses: 0, low: 0.6, high: 1 }, "Too few votes for a result."],
  ["an interval above chance prefers the first", { wins: 6, losses: 0, low: 0.54, high: 1 }, "F5 is preferred."],
  ["an interval below chance prefers the second", { wins: 0, losses: 6, low: 0, high: 0.46 }, "S1 is preferred."],
  [
    "an interval around chance shows nothing",
    { wins: 6, losses: 4, low: 0.3, high: 0.8 },
    "No clear difference so far.",
  ],
];

for (const [name, tally, wanted] of CASES) test(name, () => assert.equal(verdict(NAMES, tally), wanted));
