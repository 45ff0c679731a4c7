/** Hearing a champion say its line: the take there is of it, or a new one. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import * as fields from "../core/fields.js";
import { attempt } from "../core/login.js";
import { engineOf, state } from "../core/state.js";
import { toast } from "../core/toast.js";
import { speak, stop } from "../speak/synthesis.js";
import { audioOf } from "../takes/takes.js";
import { settingsOf } from "./speaker.js";

const LINE = "Hello. This is how I sound, and I will read whatever you write for me.";

/** What a champion is heard saying. @param {Champion} champion */
export function lineOf({ line }) {
  return line || LINE;
}

/**
 * Its line as an order: with the engine and settings it prefers, where this studio runs that engine.
 * @param {Champion} champion @param {string} attachment @returns {Order}
 */
function orderOf(champion, attachment) {
  const engine = engineOf(champion.engine) ? champion.engine : fields.engine();
  return {
    ...{ text: lineOf(champion), clip_id: "", start_s: 0, end_s: 0, transcript: "", engine },
    ...settingsOf(engine === champion.engine ? champion.settings : {}),
    ...{ champion: champion.id, version: champion.version, attachment },
  };
}

/** Whether an order speaks with this version. @param {Order} order @param {Champion} champion */
function speaks(order, { id, version }) {
  return order.champion === id && order.version === version;
}

/** Takes of its line in this version, newest first. @param {Champion} champion */
function takesOf(champion) {
  return state.takes.filter(({ order }) => speaks(order, champion) && order.text === lineOf(champion));
}

/** @param {Champion} champion @returns {"making" | "playing" | "silent"} */
export function auditionOf(champion) {
  const { synthesis } = state;
  if (synthesis && speaks(synthesis.order, champion)) return player.isPlaying(synthesis.id) ? "playing" : "making";
  return takesOf(champion).some((take) => take.id === player.playing()) ? "playing" : "silent";
}

/** Hear it, with its own weights or those on trial, or stop. @param {Champion} champion @param {string} attachment */
export async function audition(champion, attachment = "") {
  const now = auditionOf(champion);
  if (now === "making" || (now === "playing" && state.synthesis)) return stop();
  if (now === "playing") return player.stop();
  if (state.synthesis) return toast("Another line is being generated. Press Esc to stop it first.");
  const take = takesOf(champion).find(({ order }) => order.attachment === attachment);
  if (!take) return speak(orderOf(champion, attachment));
  return attempt(async () => player.play(take.id, await load(audioOf(take), take.sample_rate)));
}
