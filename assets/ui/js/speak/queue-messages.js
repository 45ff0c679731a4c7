/** Decodes messages of Gradio's queue: server-sent events, and outputs as patches of the previous outputs. */

/** @typedef {[action: string, path: (string | number)[], value: any][]} Patch */

/** Yield the messages of an event stream. @param {ReadableStream} body @returns {AsyncGenerator<any>} */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part.startsWith("data:")) yield JSON.parse(part.slice(5));
  }
}

/** @param {any} before @param {Patch} patch */
export function patched(before, patch) {
  let whole = structuredClone(before);
  for (const [action, path, value] of patch) {
    const last = path.at(-1);
    if (last === undefined) {
      whole = action === "append" ? whole + value : value;
      continue;
    }
    const inner = path.slice(0, -1).reduce((part, key) => part[key], whole);
    if (action === "append") inner[last] += value;
    else if (action === "delete") Array.isArray(inner) ? inner.splice(Number(last), 1) : delete inner[last];
    else if (action === "add" && Array.isArray(inner)) inner.splice(Number(last), 0, value);
    else inner[last] = value;
  }
  return whole;
}
