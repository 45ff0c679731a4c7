/** Scales of the plots. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ceiling, nearest, runsOf, stacked, stepped, timeOf, withLoad } from "../../assets/ui/js/monitor/scale.js";

test("the time axis is the shortest span that contains all points", () => {
  assert.equal(timeOf([], 100, 0).span_s, 60);
  assert.equal(timeOf([{ at_s: 39 }, { at_s: 99 }], 100, 0).span_s, 120);
  assert.equal(timeOf([{ at_s: 0 }], 5000, 0).span_s, 600);
});

test("a scale ends at a round number, which tiny differences do not change", () => {
  assert.deepEqual(
    [[3], [1.1], [0.2], [51], [100.05]].map((values) => ceiling(values, 1)),
    [5, 2, 1, 100, 100],
  );
  assert.equal(ceiling([], 5), 5);
});

test("a time without samples splits the points", () => {
  const points = [1, 2, 4, 30, 31].map((at_s) => ({ at_s }));
  assert.deepEqual(
    runsOf(points).map((run) => run.map(({ at_s }) => at_s)),
    [
      [1, 2, 4],
      [30, 31],
    ],
  );
  assert.deepEqual(runsOf([]), []);
});

test("the CPU load of 0 % after a start is left out, and a later 0 % is not", () => {
  const points = [0, 0.5, 0].map((machine, at_s) => ({ at_s, machine }));
  assert.deepEqual(withLoad([...points, { at_s: 30, machine: 0 }]), points.slice(1));
  assert.equal(withLoad([{ at_s: 0, machine: null }]).length, 1); // a GPU
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
