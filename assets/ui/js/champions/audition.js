/** Plays the preview line of a champion: its existing take, or a new one. */
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

/** Return the preview line of a champion. @param {Champion} champion */
export function lineOf({ line }) {
  return line || LINE;
}

/**
 * Return the order for the preview line, with the champion's preferred engine and settings if this studio has the
 * engine.
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

/** Return true if an order uses this version of a champion. @param {Order} order @param {Champion} champion */
function speaks(order, { id, version }) {
  return order.champion === id && order.version === version;
}

/** Return the takes of the preview line in this version, newest first. @param {Champion} champion */
function takesOf(champion) {
  return state.takes.filter(({ order }) => speaks(order, champion) && order.text === lineOf(champion));
}

/** @param {Champion} champion @returns {"making" | "playing" | "silent"} */
export function auditionOf(champion) {
  const { synthesis } = state;
  if (synthesis && speaks(synthesis.order, champion)) return player.isPlaying(synthesis.id) ? "playing" : "making";
  return takesOf(champion).some((take) => take.id === player.playing()) ? "playing" : "silent";
}

/**
 * Play the preview line, with the champion's own weights or attached ones; stop if it already plays.
 * @param {Champion} champion @param {string} attachment
 */
export async function audition(champion, attachment = "") {
  const now = auditionOf(champion);
  if (now === "making" || (now === "playing" && state.synthesis)) return stop();
  if (now === "playing") return player.stop();
  if (state.synthesis) return toast("Another line is being generated. Press Esc to stop it first.");
  const take = takesOf(champion).find(({ order }) => order.attachment === attachment);
  if (!take) return speak(orderOf(champion, attachment));
  return attempt(async () => player.play(take.id, await load(audioOf(take), take.sample_rate)));
}
