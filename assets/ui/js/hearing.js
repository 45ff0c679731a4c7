/** Hearing a champion say its line: the take there is of it, or a new one. */
import * as fields from "./fields.js";
import { attempt } from "./login.js";
import * as player from "./player.js";
import { speak, stop } from "./speak.js";
import { engineOf, state } from "./state.js";
import { toast } from "./toast.js";
import { load } from "./tracks.js";

const LINE = "Hello. This is how I sound, and I will read whatever you write for me.";

/** What a champion is heard saying. */
export function lineOf({ line }) {
  return line || LINE;
}

/** Its line as an order: with the engine and settings it prefers, where this studio runs that engine. */
export function orderOf(champion, attachment = "") {
  const engine = engineOf(champion.engine) ? champion.engine : fields.engine();
  const kept = engine === champion.engine ? champion.settings : {};
  return {
    ...{ text: lineOf(champion), clip_id: "", start_s: 0, end_s: 0, transcript: "", engine },
    ...Object.fromEntries(["seed", ...fields.SETTINGS].map((name) => [name, kept[name] ?? null])),
    ...{ champion: champion.id, version: champion.version, attachment },
  };
}

/** Takes of its line in this version, newest first. */
function takesOf({ id, version, line }) {
  return state.takes.filter(
    ({ order }) => order.champion === id && order.version === version && order.text === lineOf({ line }),
  );
}

/** @returns {"making"|"playing"|"silent"} */
export function hearingOf(champion) {
  const { performance } = state;
  const { id, version } = performance ? { id: performance.order.champion, version: performance.order.version } : {};
  if (id === champion.id && version === champion.version)
    return player.isPlaying(performance.id) ? "playing" : "making";
  return takesOf(champion).some((take) => take.id === player.playing()) ? "playing" : "silent";
}

/** Hear it, with its own weights or those on trial, or stop. */
export async function hearLine(champion, attachment = "") {
  const heard = hearingOf(champion);
  if (heard === "making" || (heard === "playing" && state.performance)) return stop();
  if (heard === "playing") return player.stop();
  if (state.performance) return toast("Another line is being spoken; Esc stops it.");
  const take = takesOf(champion).find(({ order }) => order.attachment === attachment);
  if (!take) return speak(orderOf(champion, attachment));
  await attempt(async () => player.play(take.id, await load(`/studio/takes/${take.id}/audio.wav`, take.sample_rate)));
}
