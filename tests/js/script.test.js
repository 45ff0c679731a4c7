/** A sheet's lines: which show, who speaks them, what changes make of them, and cells on the clipboard. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { castingsOf, charactersOf, voiceless } from "../../assets/ui/js/script/casting.js";
import { cellsOf, textOf } from "../../assets/ui/js/script/cells.js";
import { added, applied, effective, inverse, standing, touched } from "../../assets/ui/js/script/changes.js";
import { columnsOf, isHeader } from "../../assets/ui/js/script/columns.js";
import { defaultTake, displayed, takeAt } from "../../assets/ui/js/script/line-takes.js";
import { ALL, arranged, nextId, tally } from "../../assets/ui/js/script/lines.js";
import { STATES, statusOf } from "../../assets/ui/js/script/status.js";
import { summary } from "../../assets/ui/js/script/update-list.js";

const roles = { id: 0, character: 1, text: 2 };

/** @param {string} id @param {Partial<LineTake>} facts */
const take = (id, facts = {}) =>
  /** @type {LineTake} */ ({ id, number: 1, mark: "", comment: "", checks: [], ...facts });

/** @param {string} key @param {string[]} cells @param {Partial<ScriptLine>} facts */
const line = (key, cells, facts = {}) =>
  /** @type {ScriptLine} */ ({ key, cells, deleted: false, status: "none", why: "", takes: [], ...facts });

const ahri = line("a", ["A_10", "Ahri", "Behind you!"], { status: "made", takes: [take("t1")] });
const basil = line("b", ["A_9", "Basil", "Hold the gate"], { status: "stale", takes: [take("t2"), take("t3")] });
const corin = line("c", ["A_9", "Corin", "Hold on"], { status: "none" });
const all = [ahri, basil, corin];

/** @param {Partial<import("../../assets/ui/js/script/lines.js").Filter>} filter */
const shown = (filter, sort = /** @type {import("../../assets/ui/js/script/lines.js").Sort | null} */ (null)) =>
  arranged(all, { filter: { ...ALL, ...filter }, sort, roles }).join("");

test("a line is found by all words of its cells, whatever their case, by character and by status", () => {
  assert.equal(shown({ words: "HOLD a_9" }), "bc");
  assert.equal(shown({ words: "hold", character: "Corin" }), "c");
  assert.equal(shown({ status: "stale" }), "b");
  assert.equal(shown({}), "abc");
});

test("a deleted line shows nowhere and counts nowhere", () => {
  const gone = { ...basil, deleted: true };
  assert.deepEqual(arranged([gone, corin], { filter: ALL, sort: null, roles }), ["c"]);
  assert.equal(tally([gone, corin]).all, 1);
});

test("numbers in ids sort as numbers, equal lines stay in the sheet's order both ways", () => {
  assert.equal(shown({}, { by: 0, down: false }), "bca");
  assert.equal(shown({}, { by: 0, down: true }), "abc");
  assert.equal(shown({}, { by: "takes", down: true }), "bac");
  assert.equal(shown({}, { by: "status", down: false }), "bca");
});

test("the lines that a render makes are those that the studio calls due", () => {
  const due = /** @type {LineStatus[]} */ (["failed", "stale", "retake"]).map((status) =>
    line(status, [], { status, due: true }),
  );
  const counts = tally([...all, ...due, line("r", [], { status: "ready" })]);
  assert.deepEqual([counts.due, counts.due_stale, counts.due_failed, counts.stale, counts.all], [3, 1, 1, 2, 7]);
});

test("a new take stands for its line before a stale select", () => {
  const takes = [take("old", { mark: "select", stale: true }), take("new", { proposed: true })];
  assert.equal(defaultTake(line("x", [], { status: "ready", takes }))?.id, "new");
  assert.equal(defaultTake(line("x", [], { status: "select", takes }))?.id, "old");
});

test("an emotion without voices has the character's, a character without voices everybody's", () => {
  const [low, loud, any] = ["low", "loud", "any"].map((voice) => ({ voice, engine: "", settings: {} }));
  const cast = { Ahri: { "": [low], shout: [loud] }, Corin: {}, "": { "": [any] } };
  assert.deepEqual(castingsOf(cast, "Ahri", "shout"), [loud]);
  assert.deepEqual(castingsOf(cast, "Ahri", "calm"), [low]);
  assert.deepEqual(castingsOf(cast, "Corin", "calm"), [any]);
  assert.deepEqual(castingsOf({ Ahri: { shout: [loud] } }, "Ahri", ""), []);
});

test("characters whom nobody speaks are named once, those with nothing to say left out", () => {
  const cast = { Ahri: { "": [{ voice: "low", engine: "", settings: {} }] } };
  const silent = line("d", ["", "Delia", " "]);
  assert.deepEqual(voiceless([...all, silent, corin], roles, cast), ["Basil", "Corin"]);
  assert.deepEqual(
    charactersOf([...all, corin, silent], roles).map(({ name, lines }) => [name, lines]),
    [
      ["Corin", 2],
      ["Ahri", 1],
      ["Basil", 1],
    ],
  );
});

/** Lines after a change and after what takes it back. @param {SheetChange} change */
function thereAndBack(change) {
  const before = new Map(all.map((one) => [one.key, one]));
  const back = inverse(change, before);
  const after = all.map((one) => applied(one, change));
  return { after, restored: after.map((one) => applied(one, back)) };
}

test("an edit, a deletion and a mark are taken back by their inverse", () => {
  const edit = thereAndBack({ cells: [{ line: "a", column: 2, value: "Look out!" }], delete: ["c"] });
  assert.equal(edit.after[0].cells[2], "Look out!");
  assert.equal(edit.after[2].deleted, true);
  assert.deepEqual(edit.restored, all);
  const marked = thereAndBack({ marks: [{ line: "b", take: "t2", mark: "hold", comment: "later" }] });
  assert.equal(marked.after[1].takes[0].mark, "hold");
  assert.deepEqual(marked.restored, all);
});

test("what was changed once more since is not taken back", () => {
  const change = { cells: ["a", "b"].map((key) => ({ line: key, column: 2, value: "Now!" })) };
  const lines = new Map(all.map((one) => [one.key, one]));
  const back = inverse(change, lines);
  const since = new Map(all.map((one) => [one.key, applied(one, change)]));
  since.set("b", applied(basil, { cells: [{ line: "b", column: 2, value: "Later." }] }));
  assert.deepEqual(standing(back, change, since), { cells: [{ line: "a", column: 2, value: "Behind you!" }] });
});

test("one take of a line is its select, and taking the mark back gives it to the one that had it", () => {
  const chosen = line("b", [], { takes: [take("t2", { mark: "select" }), take("t3")] });
  /** @type {SheetChange} */
  const change = { marks: [{ line: "b", take: "t3", mark: "select" }] };
  const after = applied(chosen, change);
  assert.deepEqual(
    after.takes.map(({ mark }) => mark),
    ["", "select"],
  );
  assert.deepEqual(applied(after, inverse(change, new Map([["b", chosen]]))), chosen);
});

test("what would change nothing is not sent", () => {
  const lines = new Map(all.map((one) => [one.key, one]));
  assert.equal(effective({ cells: [{ line: "a", column: 1, value: "Ahri" }] }, lines), null);
  assert.equal(effective({ marks: [{ line: "a", take: "t1", mark: "" }] }, lines), null);
  const some = effective({ cells: ["a", "b"].map((key) => ({ line: key, column: 1, value: "Ahri" })) }, lines);
  assert.deepEqual([...touched(some ?? {})], ["b"]);
});

test("a line is stood for by its select, else by what is proposed, else by the latest", () => {
  const [one, two, three] = [take("1"), take("2", { proposed: true }), take("3")];
  assert.equal(defaultTake(line("a", [], { takes: [{ ...one, mark: "select" }, two, three] }))?.id, "1");
  assert.equal(defaultTake(line("a", [], { takes: [one, two, three] }))?.id, "2");
  assert.equal(defaultTake(line("a", [], { takes: [one, three] }))?.id, "3");
});

test("blind, takes show in an order of their own that stays, and digits count places", () => {
  const many = line("a", [], { takes: ["q", "w", "e", "r", "t", "y"].map((id, at) => take(id, { number: at + 1 })) });
  const blind = displayed(many, true).map(({ id }) => id);
  assert.notEqual(blind.join(""), "qwerty");
  assert.deepEqual(blind.toSorted(), ["q", "w", "e", "r", "t", "y"].sort());
  assert.equal(takeAt(many, 2, true)?.id, blind[1]);
  assert.equal(takeAt(many, 2, false)?.id, "w");
});

test("what a check doubts is said of a made line, but not to who listens blind", () => {
  /** @type {TakeCheck} */
  const check = { name: "words", outcome: "doubt", message: "one word unsure", model: "", value: null };
  const doubted = line("a", [], { status: "made", takes: [take("t", { checks: [check] })] });
  assert.equal(statusOf(doubted, doubted.takes[0], false).words, "uncertain: words");
  assert.equal(statusOf(doubted, doubted.takes[0], true).words, "rendered");
  assert.equal(statusOf(line("b", [], { why: "no voice for Ahri" }), null, false).words, "no take: no voice");
});

test("what a line's state is called begins with the words by which it is sought", () => {
  const checks = [
    ["words", "fail"],
    ["edges", "fail"],
    ["likeness", "doubt"],
  ].map(([name, outcome]) => /** @type {TakeCheck} */ ({ name, outcome, message: "found", model: "", value: null }));
  const doubted = line("a", [], { status: "made", takes: [take("t", { checks })] });
  assert.equal(statusOf(doubted, doubted.takes[0], false).words, "check failed: 2 checks");
  for (const [status, { words }] of Object.entries(STATES))
    if (!["faulty", "doubt", "rendering"].includes(status)) {
      const one = line("a", [], { status: /** @type {LineStatus} */ (status), why: "so it is" });
      assert.ok(statusOf(one, null, false).words.startsWith(words));
    }
});

test("a check is shown by words of the page, not by its name in the archive", () => {
  const checks = [/** @type {TakeCheck} */ ({ name: "fit", outcome: "fail", message: "long", model: "", value: 3 })];
  const long = line("a", [], { status: "made", takes: [take("t", { checks })] });
  assert.equal(statusOf(long, long.takes[0], false).words, "check failed: length limit");
});

test("an update says how many lines it changes, and which edits stay", () => {
  const one = (/** @type {Partial<LineDifference>} */ facts) =>
    /** @type {LineDifference} */ ({ key: "k", cells: [], deleted: false, in_file: true, keepable: false, ...facts });
  const comparison = (/** @type {LineDifference[]} */ ...lines) => /** @type {SheetComparison} */ ({ lines });
  const cell = /** @type {CellDifference} */ ({ title: "text", kind: "studio", before: "1", studio: "2", sheet: "1" });
  const edited = one({ key: "b", kind: "studio", keepable: true, cells: [cell] });
  const lines = comparison(one({ key: "a", kind: "sheet" }), edited, one({ key: "c", kind: "added" }));
  assert.equal(summary(lines, new Set(["b"])), "Lines: 1 changed, 1 new, 1 with your edits kept.");
  assert.equal(summary(lines, new Set()), "Lines: 1 changed, 1 new, 1 replaced by the file.");
  assert.equal(summary(comparison(), new Set()), "No changes.");
});

test("the grid shows id, character and text first, and every other column of the sheet after the status", () => {
  const sheet = /** @type {Sheet} */ ({ columns: ["x", "text", "id", "y"], roles: { text: 1, id: 2 } });
  const titles = columnsOf(sheet).map(({ title }) => title);
  assert.deepEqual(titles, ["Ticked", "id", "text", "Take", "Length", "Status", "x", "y"]);
});

test("headings are told from lines by two names that columns have", () => {
  const columns = ["Cue", "Who", "Says"];
  assert.ok(isHeader(["who", "Budget", " SAYS "], columns));
  assert.ok(isHeader(["id", "text"], columns));
  assert.ok(!isHeader(["L_1", "Who", "Hold the gate."], columns));
  assert.ok(!isHeader(["text"], columns));
});

test("cells with tabs, lines and quotes go to the clipboard and come back", () => {
  const cells = [
    ["one", 'he said "go"', ""],
    ["two\nlines", "a\ttab", "x"],
  ];
  assert.deepEqual(cellsOf(textOf(cells)), cells);
  assert.deepEqual(cellsOf("a\tb\r\nc\t\r\n"), [
    ["a", "b"],
    ["c", ""],
  ]);
  assert.deepEqual(cellsOf('5" nails\tx'), [['5" nails', "x"]]);
});

test("a new line is taken back by its deletion and done again by adding it, as the line it was", () => {
  const change = { add: [{ key: "n", cells: ["A_11", "Ahri", ""] }] };
  assert.deepEqual(effective(change, new Map()), change);
  assert.deepEqual([...touched(change)], ["n"]);
  assert.deepEqual(inverse(change, new Map()), { delete: ["n"] });
  const gone = { ...added(change.add[0]), cells: ["A_11", "Ahri", "Here."], deleted: true };
  assert.deepEqual(applied(gone, change), { ...gone, deleted: false });
});

test("a new line's id goes on from the last line's and is no other's", () => {
  const ids = (/** @type {string[]} */ ...ids) => ids.map((id) => line(id, [id]));
  assert.equal(nextId(ids("A2_0099"), 0), "A2_0100");
  assert.equal(nextId(ids("A_11", "A_12", "A_10"), 0), "A_13");
  assert.equal(nextId([...ids("A_1"), line("x", ["A_2"], { deleted: true })], 0), "A_3");
  assert.equal(nextId(ids("A_1", "coda"), 0), "");
  assert.equal(nextId([], 0), "L_001");
});

test("lines with a failed check and lines with only a doubt are counted and found apart; what was not measured is neither", () => {
  const checked = ["fail", "doubt", "unmeasured"].map((outcome) => {
    const check = /** @type {TakeCheck} */ ({ name: "words", outcome, message: "found", model: "", value: null });
    return line(outcome, [], { status: "made", takes: [take(outcome, { checks: [check] })] });
  });
  const { faulty, doubt } = tally(checked);
  assert.deepEqual([faulty, doubt], [1, 1]);
  const found = (/** @type {string} */ status) =>
    arranged(checked, { filter: { ...ALL, status }, sort: null, roles }).join();
  assert.deepEqual([found("faulty"), found("doubt")], ["fail", "doubt"]);
  assert.equal(statusOf(checked[2], checked[2].takes[0], false).words, "rendered");
});

test("a mark that another take's later mark replaced is given again, and taken back", () => {
  const [first, second] = [take("t1", { mark: "select", marked: 1 }), take("t2", { mark: "retake", marked: 2 })];
  const lines = new Map([["a", line("a", [], { status: "retake", takes: [first, second] })]]);
  /** @type {SheetChange} */
  const again = { marks: [{ line: "a", take: "t1", mark: "select" }] };
  assert.deepEqual(effective(again, lines), again);
  assert.deepEqual(inverse(again, lines).marks?.at(-1), { line: "a", take: "t2", mark: "retake" });
  assert.equal(effective({ marks: [{ line: "a", take: "t2", mark: "retake" }] }, lines), null);
});
