/** The same line by two engines, made unheard, then compared blind. */
import { compareBlind } from "./listening.js";
import { speak } from "./speak.js";
import { order, state } from "./state.js";

const able = () => (state.telemetry?.engines ?? []).filter((one) => one.state !== "failed").map((one) => one.name);

export async function speakBoth() {
  const takes = [];
  const engines = able().slice(0, 2);
  const orders = engines.map((engine) => order(engine)); // read now: what is typed meanwhile belongs to the next press
  for (const [place, one] of orders.entries()) {
    const take = await speak(one, { fresh: place === 0, aloud: false, again: speakBoth });
    if (!take) return;
    takes.push(take.id);
  }
  if (takes.length === 2) await compareBlind(...takes);
}

/** Whether there are two to speak. */
export function canSpeakBoth() {
  return able().length > 1;
}
