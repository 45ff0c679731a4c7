/** What the sides of a plot stand for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ceiling, stacked, stepped, timeOf } from "../../assets/ui/js/monitor/scale.js";

test("time is the shortest span that holds all points", () => {
  assert.equal(timeOf([], 100).span_s, 60);
  assert.equal(timeOf([{ at_s: 39 }, { at_s: 99 }], 100).span_s, 120);
  assert.equal(timeOf([{ at_s: 0 }], 5000).span_s, 600);
});

test("a scale ends at a round number, which does not move for a hair", () => {
  assert.deepEqual(
    [[3], [1.1], [0.2], [51], [100.05]].map((values) => ceiling(values, 1)),
    [5, 2, 1, 100, 100],
  );
  assert.equal(ceiling([], 5), 5);
});

test("counts go across before they go up or down", () => {
  assert.deepEqual(
    stepped([
      [0, 1],
      [5, 3],
      [9, 2],
    ]),
    [
      [0, 1],
      [5, 1],
      [5, 3],
      [9, 3],
      [9, 2],
    ],
  );
});

test("layers stand on top of each other", () => {
  assert.deepEqual(
    stacked([
      [1, 2],
      [3, 4],
    ]),
    [
      { lower: [0, 0], upper: [1, 2] },
      { lower: [1, 2], upper: [4, 6] },
    ],
  );
  assert.deepEqual(stacked([]), []);
});
