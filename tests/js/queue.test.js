/** Decoding of messages from Gradio's queue. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { events, patched } from "../../assets/ui/js/speak/queue-messages.js";
import { streamOf } from "./streams.js";

/** @param {string[]} pieces */
async function read(...pieces) {
  const encoder = new TextEncoder();
  const messages = [];
  for await (const message of events(streamOf(...pieces.map((piece) => encoder.encode(piece))))) messages.push(message);
  return messages;
}

test("messages that are split between chunks are decoded", async () => {
  const messages = await read('data: {"msg":"esti', 'mation"}\n', '\ndata: {"rank":1}\n\ndata: {"ra', 'nk":0}\n\n');
  assert.deepEqual(messages, [{ msg: "estimation" }, { rank: 1 }, { rank: 0 }]);
});

test("comments and incomplete data are not messages", async () => {
  assert.deepEqual(await read(": a comment\n\n", 'data: {"msg":"heartbeat"}\n\ndata: {"half"'), [{ msg: "heartbeat" }]);
});

test("a patch returns new outputs and does not change the previous ones", () => {
  const before = { words: "one", list: [1, 2, 3], inner: { rank: 2 } };
  const after = patched(before, [
    ["append", ["words"], " two"],
    ["replace", ["inner", "rank"], 1],
    ["delete", ["list", 0], null],
    ["add", ["list", 1], 9],
    ["add", ["inner", "eta_s"], 4],
  ]);
  assert.deepEqual(after, { words: "one two", list: [2, 9, 3], inner: { rank: 1, eta_s: 4 } });
  assert.deepEqual(before, { words: "one", list: [1, 2, 3], inner: { rank: 2 } });
});

test("a patch without a path changes the whole output", () => {
  assert.equal(patched("a", [["append", [], "b"]]), "ab");
  assert.deepEqual(patched(null, [["replace", [], { id: "x" }]]), { id: "x" });
  assert.deepEqual(patched({ id: 1, old: 2 }, [["delete", ["old"], null]]), { id: 1 });
});
