/** Limits of the selected part of a clip. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { limited } from "../../assets/ui/js/references/selection.js";

const limits = { clip_s: 20, longest_s: 12 };

/** @type {[string, [number, number], "start" | "end", [number, number]][]} */
const CASES = [
  ["a part within the limits stays", [2, 6], "end", [2, 6]],
  ["a start dragged past the end moves the end", [6.2, 6], "end", [6.2, 6.7]],
  ["an end dragged before the start moves the start", [6, 5.8], "start", [5.3, 5.8]],
  ["a start dragged too far back moves the end", [1, 15], "end", [1, 13]],
  ["an end dragged too far moves the start", [1, 15], "start", [3, 15]],
  ["a part does not begin before the clip", [-3, 4], "end", [0, 4]],
  ["a part does not end after the clip", [15, 25], "start", [15, 20]],
  ["the start keeps the least length before the end of the clip", [20, 20], "end", [19.5, 20]],
  ["the end keeps the least length after the start of the clip", [0, 0], "start", [0, 0.5]],
  ["ends are rounded to milliseconds", [1.23456, 4.56789], "end", [1.235, 4.568]],
];

for (const [name, [start_s, end_s], follows, [from, to]] of CASES)
  test(name, () => assert.deepEqual(limited({ start_s, end_s }, { ...limits, follows }), { start_s: from, end_s: to }));

test("a clip shorter than the least length is used completely", () => {
  assert.deepEqual(limited({ start_s: 0.1, end_s: 0.2 }, { clip_s: 0.3, longest_s: 12, follows: "end" }), {
    start_s: 0,
    end_s: 0.3,
  });
});
