/** Scales of the plots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ceiling, nearest, stacked, stepped, timeOf } from "../../assets/ui/js/monitor/scale.js";

test("the time axis is the shortest span that contains all points", () => {
  assert.equal(timeOf([], 100).span_s, 60);
  assert.equal(timeOf([{ at_s: 39 }, { at_s: 99 }], 100).span_s, 120);
  assert.equal(timeOf([{ at_s: 0 }], 5000).span_s, 600);
});

test("a scale ends at a round number, which tiny differences do not change", () => {
  assert.deepEqual(
    [[3], [1.1], [0.2], [51], [100.05]].map((values) => ceiling(values, 1)),
    [5, 2, 1, 100, 100],
  );
  assert.equal(ceiling([], 5), 5);
});

test("counts are drawn as steps", () => {
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

test("layers are stacked", () => {
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

test("the pointer reads the nearest time", () => {
  assert.deepEqual(
    [0, 14, 16, 99].map((at_s) => nearest([10, 20, 30], at_s)),
    [0, 0, 1, 2],
  );
  assert.equal(nearest([], 5), null);
});
