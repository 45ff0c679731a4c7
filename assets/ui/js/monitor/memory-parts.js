/** The memory of each engine by part: network, codec, caches, fine-tuned weights. */
import { h } from "../core/dom.js";
import { size } from "../core/format.js";

/** @type {Record<string, string>} */
const PARTS = { champions: "champions' weights", graphs: "CUDA graphs" };

export function memoryParts() {
  const element = h("dl.memory-parts");
  let drawn = "";
  const update = (/** @type {EngineStatus[]} */ engines) => {
    const shown = JSON.stringify(engines.map(({ memory_parts, state }) => [memory_parts, state]));
    if (shown === drawn) return;
    drawn = shown;
    element.replaceChildren(...engines.flatMap(engineParts));
  };
  return { element, update };
}

/** @param {EngineStatus} engine */
function engineParts({ title, memory_parts, memory_bytes }) {
  const parts = Object.entries(memory_parts).filter(([, held]) => held > 0);
  const words = parts.map(([name, held]) => h("span", {}, `${PARTS[name] ?? name} ${size(held)}`));
  return [h("dt", {}, title), h("dd", {}, ...(memory_bytes ? words : [h("span", {}, "not loaded")]))];
}
