/** Fine-tuned weights for a champion: upload, check, preview, then save or discard. */
import { openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";
import { chooseFile } from "../core/file-picker.js";
import { titled } from "../core/format.js";
import { attempt } from "../core/login.js";
import { remove } from "../core/server.js";
import { currentOf, tunedEngine, withoutWeights } from "../core/state.js";
import { toast } from "../core/toast.js";
import { dismiss } from "../jobs/jobs.js";
import { audition } from "./audition.js";
import { attach, keepWeights } from "./library.js";

/** @param {Champion} champion */
export function openWeights(champion) {
  const send = (/** @type {File} */ file) => {
    dialog.close();
    attach(champion, file);
  };
  const onclick = () => chooseFile(".pt,.safetensors", send);
  const choose = h("button.primary", { type: "button", onclick }, icon("upload"), "Choose file");
  const engine = tunedEngine()?.title ?? "";
  const what = `Choose a .pt or .safetensors file with ${engine} weights that are fine-tuned on this voice. You can listen before you save.`;
  const others = [withoutWeights()].filter(Boolean).map((words) => h("p.hint", {}, words));
  const dialog = openDialog({
    title: `Attach weights to ${champion.title}`,
    look: "narrow",
    body: [h("p", {}, what), h("p.hint", {}, "The studio checks the file before use."), ...others],
    actions: [choose],
  });
  choose.focus();
}

/** Return the buttons for weights that passed the check. @param {Job} job */
export function weightsOptions(job) {
  const id = job.result?.id ?? "";
  const press = (/** @type {string} */ words, /** @type {string} */ look, /** @type {() => Promise<unknown>} */ act) =>
    h(`button.${look}.small`, { type: "button", onclick: () => attempt(act) }, words);
  const play = async () => {
    const champion = currentOf(job.champion);
    return champion && audition(onTunedEngine(champion), id);
  };
  const keep = async () => {
    const { title } = await keepWeights(id);
    await dismiss(job);
    toast(`Weights saved for ${titled(title)}.`);
  };
  const drop = async () => {
    await remove(`/studio/attachments/${id}`);
    await dismiss(job);
  };
  return [
    press("Play preview line", "quiet", play),
    press("Save weights", "primary", keep),
    press("Discard weights", "quiet", drop),
  ];
}

/**
 * Return the champion with the engine that accepts fine-tuned weights. Settings of another engine are dropped.
 * @param {Champion} champion
 */
function onTunedEngine(champion) {
  const engine = tunedEngine()?.name ?? champion.engine;
  return champion.engine === engine ? champion : { ...champion, engine, settings: {} };
}
