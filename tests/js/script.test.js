/** Lines of a sheet: filters, sort order, voices, changes, states, and the clipboard. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { activity } from "../../assets/ui/js/core/render-activity.js";
import { castingsOf, charactersOf, voiceless } from "../../assets/ui/js/script/casting.js";
import { cellsOf, textOf } from "../../assets/ui/js/script/cells.js";
import { added, affectedLines, applied, effective, inverse, stillValid } from "../../assets/ui/js/script/changes.js";
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

test("lines are found by words in their cells, ignoring case, by character and by status", () => {
  assert.equal(shown({ words: "HOLD a_9" }), "bc");
  assert.equal(shown({ words: "hold", character: "Corin" }), "c");
  assert.equal(shown({ status: "stale" }), "b");
  assert.equal(shown({}), "abc");
});

test("deleted lines are not shown or counted", () => {
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

test("a render counts the lines that the studio calls due", () => {
  const due = /** @type {LineStatus[]} */ (["failed", "stale", "retake"]).map((status) =>
    line(status, [], { status, due: true }),
  );
  const counts = tally([...all, ...due, line("r", [], { status: "ready" })]);
  assert.deepEqual([counts.due, counts.due_stale, counts.due_failed, counts.stale, counts.all], [3, 1, 1, 2, 7]);
});

test("a new take represents its line before a stale select", () => {
  const takes = [take("old", { mark: "select", stale: true }), take("new", { proposed: true })];
  assert.equal(defaultTake(line("x", [], { status: "ready", takes }))?.id, "new");
  assert.equal(defaultTake(line("x", [], { status: "select", takes }))?.id, "old");
});

test("an emotion without voices uses the character's, a character without voices uses everybody's", () => {
  const [low, loud, any] = ["low", "loud", "any"].map((voice) => ({ voice, engine: "", settings: {} }));
  const cast = { Ahri: { "": [low], shout: [loud] }, Corin: {}, "": { "": [any] } };
  assert.deepEqual(castingsOf(cast, "Ahri", "shout"), [loud]);
  assert.deepEqual(castingsOf(cast, "Ahri", "calm"), [low]);
  assert.deepEqual(castingsOf(cast, "Corin", "calm"), [any]);
  assert.deepEqual(castingsOf({ Ahri: { shout: [loud] } }, "Ahri", ""), []);
});

test("characters without a voice are named once; those without text are left out", () => {
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

/** Return the lines after a change, and after the change and its inverse. @param {SheetChange} change */
function thereAndBack(change) {
  const before = new Map(all.map((one) => [one.key, one]));
  const back = inverse(change, before);
  const after = all.map((one) => applied(one, change));
  return { after, restored: after.map((one) => applied(one, back)) };
}

/** Return cells, marks and notes of lines, without the states that the studio decides. @param {ScriptLine[]} lines */
const about = (lines) =>
  lines.map(({ key, cells, deleted, takes }) => ({
    ...{ key, cells, deleted },
    takes: takes.map(({ id, mark, comment }) => ({ id, mark, comment })),
  }));

test("the inverse undoes an edit, a deletion and a mark", () => {
  const edit = thereAndBack({ cells: [{ line: "a", column: 2, value: "Look out!" }], delete: ["c"] });
  assert.equal(edit.after[0].cells[2], "Look out!");
  assert.equal(edit.after[2].deleted, true);
  assert.deepEqual(edit.restored, all);
  const marked = thereAndBack({ marks: [{ line: "b", take: "t2", mark: "hold", comment: "later" }] });
  assert.equal(marked.after[1].takes[0].mark, "hold");
  assert.deepEqual(about(marked.restored), about(all));
});

test("a mark becomes the state of its line at once, unless the select or every take is stale", () => {
  const [old, fresh] = [take("1", { stale: true }), take("2")];
  const state = (/** @type {LineStatus} */ status, /** @type {LineTake[]} */ takes, /** @type {Mark} */ mark) => {
    const id = takes[takes.length - 1].id;
    const after = applied(line("a", [], { status, takes }), { marks: [{ line: "a", take: id, mark }] });
    return [after.status, after.unsaved];
  };
  assert.deepEqual(state("made", [fresh], "select"), ["select", true]);
  assert.deepEqual(state("select", [take("2", { mark: "select" })], ""), ["made", true]);
  assert.deepEqual(state("ready", [{ ...old, mark: "select" }, fresh], "select"), ["select", true]);
  assert.deepEqual(state("ready", [{ ...old, mark: "select" }, fresh], "hold"), ["ready", true]);
  assert.deepEqual(state("stale", [old], "select"), ["stale", true]);
  const earlier = take("1", { mark: "hold", marked: 1 });
  assert.deepEqual(state("retake", [earlier, take("2", { mark: "retake", marked: 2 })], ""), ["hold", true]);
});

test("undo keeps cells that were changed again later", () => {
  const change = { cells: ["a", "b"].map((key) => ({ line: key, column: 2, value: "Now!" })) };
  const lines = new Map(all.map((one) => [one.key, one]));
  const back = inverse(change, lines);
  const since = new Map(all.map((one) => [one.key, applied(one, change)]));
  since.set("b", applied(basil, { cells: [{ line: "b", column: 2, value: "Later." }] }));
  assert.deepEqual(stillValid(back, change, since), { cells: [{ line: "a", column: 2, value: "Behind you!" }] });
});

test("a line has one select, and undo gives the mark back to the previous one", () => {
  const chosen = line("b", [], { takes: [take("t2", { mark: "select" }), take("t3")] });
  /** @type {SheetChange} */
  const change = { marks: [{ line: "b", take: "t3", mark: "select" }] };
  const after = applied(chosen, change);
  assert.deepEqual(
    after.takes.map(({ mark }) => mark),
    ["", "select"],
  );
  assert.deepEqual(about([applied(after, inverse(change, new Map([["b", chosen]])))]), about([chosen]));
});

test("parts of a change without effect are not sent", () => {
  const lines = new Map(all.map((one) => [one.key, one]));
  assert.equal(effective({ cells: [{ line: "a", column: 1, value: "Ahri" }] }, lines), null);
  assert.equal(effective({ marks: [{ line: "a", take: "t1", mark: "" }] }, lines), null);
  const some = effective({ cells: ["a", "b"].map((key) => ({ line: key, column: 1, value: "Ahri" })) }, lines);
  assert.deepEqual([...affectedLines(some ?? {})], ["b"]);
});

test("a line is represented by its select, else by the proposed take, else by the latest", () => {
  const [one, two, three] = [take("1"), take("2", { proposed: true }), take("3")];
  assert.equal(defaultTake(line("a", [], { takes: [{ ...one, mark: "select" }, two, three] }))?.id, "1");
  assert.equal(defaultTake(line("a", [], { takes: [one, two, three] }))?.id, "2");
  assert.equal(defaultTake(line("a", [], { takes: [one, three] }))?.id, "3");
});

test("a line is represented by the take whose mark is its status", () => {
  const suggested = take("1", { proposed: true });
  const two = [suggested, take("2", { mark: "hold", marked: 1 })];
  assert.equal(defaultTake(line("a", [], { status: "hold", takes: two }))?.id, "2");
  const three = [
    { ...suggested, mark: /** @type {Mark} */ ("select"), marked: 1 },
    take("2", { mark: "retake", marked: 2 }),
  ];
  assert.equal(defaultTake(line("a", [], { status: "retake", takes: three }))?.id, "2");
  const again = [take("1", { mark: "hold", marked: 3 }), take("2", { mark: "hold", marked: 2 }), suggested];
  assert.equal(defaultTake(line("a", [], { status: "hold", takes: again }))?.id, "1");
  const retaken = [take("1", { mark: "retake", marked: 1 }), take("2", { proposed: true })];
  assert.equal(defaultTake(line("a", [], { status: "made", takes: retaken }))?.id, "2");
});

test("a selected take with failed checks keeps its mark and has a warning", () => {
  const check = /** @type {TakeCheck} */ ({ name: "likeness", outcome: "fail", message: "far", model: "", value: 0.4 });
  const state = (/** @type {TakeCheck[]} */ checks, blind = false) => {
    const chosen = line("a", [], { status: "select", takes: [take("t", { mark: "select", checks })] });
    const { words, warning } = statusOf(chosen, chosen.takes[0], blind);
    return [words, warning];
  };
  assert.deepEqual(state([check]), ["select", "check failed"]);
  assert.deepEqual(state([check, check]), ["select", "2 checks failed"]);
  assert.deepEqual(state([]), ["select", ""]);
  assert.deepEqual(state([check], true), ["select", ""]);
});

test("a render of which only checks are pending says that it checks", () => {
  const render = /** @type {SheetRender} */ ({ state: "running", done: 0, unmade: 0, total: 8, checking: 8 });
  assert.equal(activity(render), "Checking");
  assert.equal(activity({ ...render, checking: 7 }), "Rendering");
  assert.equal(activity({ ...render, checking: 6, unmade: 1, done: 1 }), "Checking");
  assert.equal(activity({ ...render, state: "paused" }), "Paused");
});

test("in blind mode, takes have another, fixed order, and digits count places", () => {
  const many = line("a", [], { takes: ["q", "w", "e", "r", "t", "y"].map((id, at) => take(id, { number: at + 1 })) });
  const blind = displayed(many, true).map(({ id }) => id);
  assert.notEqual(blind.join(""), "qwerty");
  assert.deepEqual(blind.toSorted(), ["q", "w", "e", "r", "t", "y"].sort());
  assert.equal(takeAt(many, 2, true)?.id, blind[1]);
  assert.equal(takeAt(many, 2, false)?.id, "w");
});

test("a doubtful check is shown for a rendered line, but not in blind mode", () => {
  /** @type {TakeCheck} */
  const check = { name: "words", outcome: "doubt", message: "one word unsure", model: "", value: null };
  const doubted = line("a", [], { status: "made", takes: [take("t", { checks: [check] })] });
  assert.equal(statusOf(doubted, doubted.takes[0], false).words, "check uncertain: words");
  assert.equal(statusOf(doubted, doubted.takes[0], true).words, "rendered");
  assert.equal(statusOf(line("b", [], { why: "no voice for Ahri" }), null, false).words, "no take: no voice");
});

test("the status of a line begins with the words of its filter", () => {
  const checks = [
    ["words", "fail"],
    ["edges", "fail"],
    ["likeness", "doubt"],
  ].map(([name, outcome]) => /** @type {TakeCheck} */ ({ name, outcome, message: "found", model: "", value: null }));
  const doubted = line("a", [], { status: "made", takes: [take("t", { checks })] });
  assert.equal(statusOf(doubted, doubted.takes[0], false).words, "2 checks failed");
  const unsure = checks.map((check) => ({ ...check, outcome: /** @type {const} */ ("doubt") }));
  const uncertain = line("b", [], { status: "made", takes: [take("t", { checks: unsure })] });
  assert.equal(statusOf(uncertain, uncertain.takes[0], false).words, "3 checks uncertain");
  for (const [status, { words }] of Object.entries(STATES))
    if (!["faulty", "doubt", "rendering"].includes(status)) {
      const one = line("a", [], { status: /** @type {LineStatus} */ (status), why: "so it is" });
      assert.ok(statusOf(one, null, false).words.startsWith(words));
    }
});

test("a check has its own name on the page", () => {
  const checks = [/** @type {TakeCheck} */ ({ name: "fit", outcome: "fail", message: "long", model: "", value: 3 })];
  const long = line("a", [], { status: "made", takes: [take("t", { checks })] });
  assert.equal(statusOf(long, long.takes[0], false).words, "check failed: length limit");
});

test("the summary of an update counts changed lines and kept edits", () => {
  const one = (/** @type {Partial<LineDifference>} */ facts) =>
    /** @type {LineDifference} */ ({ key: "k", cells: [], deleted: false, in_file: true, keepable: false, ...facts });
  const comparison = (/** @type {LineDifference[]} */ ...lines) => /** @type {SheetComparison} */ ({ lines });
  const cell = /** @type {CellDifference} */ ({ title: "text", kind: "studio", before: "1", studio: "2", file: "1" });
  const edited = one({ key: "b", kind: "studio", keepable: true, cells: [cell] });
  const lines = comparison(one({ key: "a", kind: "file" }), edited, one({ key: "c", kind: "added" }));
  assert.equal(summary(lines, new Set(["b"])), "1 line changed, 1 new line, 1 line keeps your edits.");
  assert.equal(summary(lines, new Set()), "1 line changed, 1 new line, 1 line gets the text of the file.");
  const both = one({ key: "d", kind: "both", keepable: true, cells: [{ ...cell, kind: "both" }] });
  assert.equal(summary(comparison(both), new Set()), "1 line changed (your edits are replaced).");
  assert.equal(
    summary(comparison(both, one({ key: "a", kind: "file" })), new Set()),
    "2 lines changed (your edits are replaced in 1 of them).",
  );
  assert.equal(summary(comparison(), new Set()), "No changes.");
});

test("the grid shows id, character and text first, and the other columns of the sheet after the status", () => {
  const sheet = /** @type {Sheet} */ ({ columns: ["x", "text", "id", "y"], roles: { text: 1, id: 2 } });
  const titles = columnsOf(sheet).map(({ title }) => title);
  assert.deepEqual(titles, ["Ticked", "id", "text", "Take", "Length", "Status", "x", "y"]);
});

test("a header is recognised by two known column names", () => {
  const columns = ["Cue", "Who", "Says"];
  assert.ok(isHeader(["who", "Budget", " SAYS "], columns));
  assert.ok(isHeader(["id", "text"], columns));
  assert.ok(!isHeader(["L_1", "Who", "Hold the gate."], columns));
  assert.ok(!isHeader(["text"], columns));
});

test("cells with tabs, line breaks and quotes survive the clipboard", () => {
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

test("undo deletes a new line, and redo restores it with its cells", () => {
  const change = { add: [{ key: "n", cells: ["A_11", "Ahri", ""] }] };
  assert.deepEqual(effective(change, new Map()), change);
  assert.deepEqual([...affectedLines(change)], ["n"]);
  assert.deepEqual(inverse(change, new Map()), { delete: ["n"] });
  const gone = { ...added(change.add[0]), cells: ["A_11", "Ahri", "Here."], deleted: true };
  assert.deepEqual(applied(gone, change), { ...gone, deleted: false });
});

test("a new line gets the next unused id after the last line's", () => {
  const ids = (/** @type {string[]} */ ...ids) => ids.map((id) => line(id, [id]));
  assert.equal(nextId(ids("A2_0099"), 0), "A2_0100");
  assert.equal(nextId(ids("A_11", "A_12", "A_10"), 0), "A_13");
  assert.equal(nextId([...ids("A_1"), line("x", ["A_2"], { deleted: true })], 0), "A_3");
  assert.equal(nextId(ids("A_1", "coda"), 0), "");
  assert.equal(nextId([], 0), "L_001");
});

test("lines with a failed check and lines with a doubt are counted and found separately; unmeasured checks count as neither", () => {
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

test("a mark that a later mark of another take replaced can be set again and undone", () => {
  const [first, second] = [take("t1", { mark: "select", marked: 1 }), take("t2", { mark: "retake", marked: 2 })];
  const lines = new Map([["a", line("a", [], { status: "retake", takes: [first, second] })]]);
  /** @type {SheetChange} */
  const again = { marks: [{ line: "a", take: "t1", mark: "select" }] };
  assert.deepEqual(effective(again, lines), again);
  assert.deepEqual(inverse(again, lines).marks?.at(-1), { line: "a", take: "t2", mark: "retake" });
  assert.equal(effective({ marks: [{ line: "a", take: "t2", mark: "retake" }] }, lines), null);
});
