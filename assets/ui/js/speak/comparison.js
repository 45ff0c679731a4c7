/** Speaks the same line with two engines without playback, then starts a blind comparison. */
import * as player from "../audio/player.js";
import { attempt } from "../core/login.js";
import { fetched } from "../core/server.js";
import { order, state } from "../core/state.js";
import { speak } from "./synthesis.js";

const available = () => (state.telemetry?.engines ?? []).filter((one) => one.state !== "failed").map((one) => one.name);

export async function speakBoth() {
  player.stop();
  const takes = [];
  const orders = available()
    .slice(0, 2)
    .map((engine) => order(engine)); // read all orders now, because the user may type in the meantime
  for (const [place, one] of orders.entries()) {
    const take = await speak(one, { fresh: place === 0, aloud: false, retry: speakBoth });
    if (!take) return;
    takes.push(take.id);
  }
  if (takes.length < 2) return;
  const compare = await attempt(() => fetched(import("../compare/page.js")));
  await compare?.compareBlind(takes[0], takes[1]);
}

/** Return true if two engines are available. */
export function canSpeakBoth() {
  return available().length > 1;
}
