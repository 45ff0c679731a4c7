/** The plan of a listening session, and its results in words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { questionFor } from "../../assets/ui/js/sessions/methods.js";
import { blankDraft, bodyOf, draftOf, freeName, linesFault, partOf } from "../../assets/ui/js/sessions/plan.js";
import { placeOn, steps } from "../../assets/ui/js/sessions/plots.js";
import { SAMPLE_LINES } from "../../assets/ui/js/sessions/sample-lines.js";
import {
  agreementWords,
  decision,
  fromBetter,
  lineWords,
  pWords,
  scoreWords,
  signed,
  stateWords,
} from "../../assets/ui/js/sessions/words.js";

const PAIR = { first: 0, second: 1, wins: 1, losses: 3, ties: 1, share: 0.25, low: 0.01, high: 0.8 };
const OPEN = { p: 0.6, decided: false, votes_needed: 12 };

test("a new session compares the first two engines with one voice", () => {
  const { arms } = blankDraft("amber", ["f5", "s1", "spark"]);
  assert.deepEqual(
    arms.map(({ voice, engine }) => [voice, engine]),
    [
      ["amber", "f5"],
      ["amber", "s1"],
    ],
  );
});

test("only methods in which listeners choose the better take can be an arena", () => {
  const draft = { ...blankDraft("amber", ["f5"]), arena: true };
  assert.equal(bodyOf(draft).arena, true);
  assert.equal(bodyOf({ ...draft, method: "abx" }).arena, false);
});

test("the body has trimmed lines, and no empty lines or questions", () => {
  const draft = { ...blankDraft("amber", ["f5"]), name: " Barks ", lines: " One. \n\n Two.\n" };
  draft.questions = [
    { text: " ", choices: "" },
    { text: "Device?", choices: "Headphones\n\nLoudspeakers" },
  ];
  const body = bodyOf(draft);
  assert.equal(body.name, "Barks");
  assert.deepEqual(body.lines, ["One.", "Two."]);
  assert.deepEqual(body.questions, [{ text: "Device?", choices: ["Headphones", "Loudspeakers"] }]);
});

test("only MUSHRA has a reference arm", () => {
  const draft = { ...blankDraft("amber", ["f5"]), reference: 1 };
  assert.equal(bodyOf(draft).reference, 0);
  assert.equal(bodyOf({ ...draft, method: "mushra" }).reference, 1);
});

test("a stored plan becomes a draft with the settings and the seed of its orders", () => {
  const order = {
    text: "",
    clip_id: "c",
    start_s: 0,
    end_s: 4,
    transcript: "Hi.",
    engine: "f5",
    champion: "",
    version: "",
  };
  const facts = {
    ...blankDraft("amber", ["f5"]),
    lines: ["One.", "Two."],
    questions: [{ text: "Q", choices: ["a", "b"] }],
  };
  const arms = [{ name: "Slow", voice: "amber", order: { ...order, seed: 7, steps: 32, speed: null } }];
  const draft = draftOf({ ...facts, arms });
  assert.deepEqual(draft.arms, [{ name: "Slow", voice: "amber", engine: "f5", settings: { seed: 7, steps: 32 } }]);
  assert.equal(draft.lines, "One.\nTwo.");
  assert.deepEqual(draft.questions, [{ text: "Q", choices: "a\nb" }]);
});

test("a typed question survives a change of the method, and a default question changes", () => {
  assert.equal(questionFor("Which is angrier?", "mos"), "Which is angrier?");
  assert.equal(questionFor("Which take sounds better?", "mos"), "How natural does the take sound?");
});

test("a copied arm gets a free name", () => {
  const arms = ["Fast", "fast 2"].map((name) => ({ name, voice: "", engine: "", settings: {} }));
  assert.equal(freeName("Fast", arms), "Fast 3");
  assert.equal(freeName("Slow", arms), "Slow");
});

test("the lines are counted and measured", () => {
  assert.equal(linesFault("\n \n"), "Type at least one line.");
  assert.equal(linesFault("One."), "");
  assert.match(linesFault(`One.\n${"x".repeat(301)}`), /^Shorten line 2/);
  assert.match(linesFault("One.\n".repeat(203)), /^Remove 3 lines/);
});

test("forty different sample lines fit into a session", () => {
  assert.equal(new Set(SAMPLE_LINES).size, 40);
  assert.equal(linesFault(SAMPLE_LINES.join("\n")), "");
});

/** @type {[string, string | null, string][]} */
const ERRORS = [
  ["arms: List should have at most 8 items", "arms", "arms"],
  ["two arms have the same name; rename one of them", null, "arms"],
  ["champion vex not found; choose a voice from GET /v1/voices", null, "arms"],
  ["the session has no lines; type at least one line", null, "lines"],
  ["the reference is not one of the arms; choose the reference again", null, "reference"],
  ["the disk is full", null, ""],
];
for (const [message, param, part] of ERRORS)
  test(`"${message}" is about "${part}"`, () => assert.equal(partOf(message, param), part));

test("a render shows its progress, and the present take and the time left if they are known", () => {
  const session = { state: "rendering", made: 1, takes: 12 };
  const words = (/** @type {object} */ more) => stateWords(/** @type {ListeningSession} */ ({ ...session, ...more }));
  assert.equal(words({}), "Rendering 1 of 12 takes");
  assert.equal(words({ current: "", left_s: null }), "Rendering 1 of 12 takes");
  assert.equal(words({ current: "ours f5, line 2", left_s: null }), "Rendering 1 of 12 takes: ours f5, line 2");
  const all = words({ current: "ours f5, line 2", left_s: 37.2 });
  assert.equal(all, "Rendering 1 of 12 takes: ours f5, line 2. About 40 s left.");
  assert.equal(words({ current: "", left_s: 300 }), "Rendering 1 of 12 takes. About 5 min left.");
});

test("a pair is seen from the arm with more votes", () => {
  const { first, second, wins, losses, share, low, high } = fromBetter({ ...PAIR, ...OPEN });
  assert.deepEqual([first, second, wins, losses, share], [1, 0, 3, 1, 0.75]);
  assert.ok(Math.abs(low - 0.2) < 1e-9 && Math.abs(high - 0.99) < 1e-9);
});

test("a decision says how many more votes are needed", () => {
  assert.equal(decision({ ...PAIR, ...OPEN }), "Not decided. About 12 more votes needed.");
  assert.equal(decision({ ...PAIR, ...OPEN, decided: true }), "Decided.");
  assert.equal(decision({ ...PAIR, ...OPEN, wins: 0, losses: 0, ties: 0 }), "No votes yet.");
  assert.match(decision({ ...PAIR, ...OPEN, wins: 3, votes_needed: null }), /same number of votes/);
  const abx = { first: 0, second: 1, share: 0.5, low: 0.2, high: 0.8, correct: 5, count: 10 };
  assert.match(decision({ ...abx, ...OPEN, votes_needed: null }), /no better than guessing/);
});

test("the votes on a line count for each arm", () => {
  const votes = [
    { arms: [0, 1], choice: "a", scores: {}, right: false },
    { arms: [1, 0], choice: "a", scores: {}, right: true },
    { arms: [1, 0], choice: "tie", scores: {}, right: false },
    { arms: [1, 2], choice: "b", scores: {}, right: false },
  ];
  assert.equal(lineWords("abx", votes, 0), "1 of 3 answers right");
  assert.equal(lineWords("ab", votes, 0), "1 of 3 votes");
  assert.equal(lineWords("ab", votes, 1), "1 of 4 votes");
  assert.equal(lineWords("ab", votes, 3), "no votes");
});

test("the anchor of MUSHRA does not count as a rating of the reference arm", () => {
  /** @type {LineVote[]} */
  const votes = [{ arms: [1, "anchor", 0], choice: null, scores: { 0: 60, 1: 20, 2: 100 }, right: null }];
  assert.equal(lineWords("mushra", votes, 1), "60.0 (1 rating)");
  assert.equal(lineWords("mushra", votes, 0), "100.0 (1 rating)");
});

test("the checks of an arm name lost words and faults", () => {
  const none = { heard: 0, lost: 0, faulty: 0, mos: null, likeness: null };
  assert.equal(scoreWords({ ...none, heard: 3, lost: 1 }), "all words heard in 2 of 3 takes");
  assert.equal(scoreWords({ ...none, faulty: 1 }), "words not checked, 1 take with an audio fault");
  const measured = { ...none, heard: 1, mos: 3.456, likeness: 0.8 };
  assert.equal(
    scoreWords(measured),
    "all words heard in 1 of 1 take, predicted MOS: 3.46, likeness to the reference: 0.80",
  );
});

test("numbers are words that people read", () => {
  assert.equal(pWords(0.0004), "p < 0.001");
  assert.equal(pWords(0.0448), "p = 0.045");
  assert.equal(signed(-0.4), "−0.40");
  assert.match(agreementWords(0.7), /0\.70 \(good\)/);
});

test("a plot stays inside its scale, and reaches its top at the last vote", () => {
  assert.equal(placeOn(3, { least: 1, most: 5 }), 50);
  assert.equal(placeOn(-1, { least: 0, most: 1 }), 0);
  assert.deepEqual(steps([10, 20, 30]).at(-1), [600, 0]);
});
