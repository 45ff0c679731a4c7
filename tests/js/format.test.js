/** Formatting of numbers and states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../../assets/ui/js/core/format.js";

/** @type {[string, string, string][]} */
const SAID = [
  ["seconds", format.seconds(3.94), "3.9 s"],
  ["seconds", format.seconds(9.96), "10 s"],
  ["seconds", format.seconds(59.6), "1 min 0 s"],
  ["seconds", format.seconds(83), "1 min 23 s"],
  ["about", format.about(0.2), "about 1 s"],
  ["about", format.about(3.2), "about 4 s"],
  ["about", format.about(37), "about 40 s"],
  ["about", format.about(100), "about 2 min"],
  ["fine", format.fine(0.043), "0.04 s"],
  ["fine", format.fine(null), "–"],
  ["clock", format.clock(83.42), "1:23.4"],
  ["clock", format.clock(5), "0:05.0"],
  ["clock", format.clock(59.96), "1:00.0"],
  ["bytes", format.bytes(12_340_000), "12 MB"],
  ["bytes", format.bytes(3_140_000_000), "3.1 GB"],
  ["bytes", format.bytes(141e9), "141 GB"],
  ["size", format.size(0), "0 bytes"],
  ["size", format.size(1_234_000), "1.2 MB"],
  ["size", format.size(45_600), "46 KB"],
  ["percent", format.percent(0.337), "34 %"],
  ["plural", format.plural(1, "take"), "1 take"],
  ["plural", format.plural(1200, "take"), "1,200 takes"],
  ["rank", format.rankWords(1, null), "Next in queue"],
  ["rank", format.rankWords(22, 37), "22nd in queue, about 40 s"],
  ["setting", format.setting("top_p", 0.8), "top-p 0.8"],
  ["setting", format.setting("steps", null), "steps default"],
  ["setting", format.setting("design", "female very_low moderate"), "design female, very low, moderate"],
  ["sentence", format.sentence(" the queue is full"), "The queue is full."],
  ["sentence", format.sentence("Again?"), "Again?"],
];

for (const [name, said, wanted] of SAID) test(`${name}: ${wanted}`, () => assert.equal(said, wanted));

test("the ordinals 11 to 13 end in th", () => {
  const counts = [1, 2, 3, 4, 11, 12, 13, 21, 111, 112];
  const words = ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "112th"];
  assert.deepEqual(counts.map(format.ordinal), words);
});
