/** Fine-tuned weights for a champion: sent, checked, heard on trial, then kept or dropped. */
import { openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";
import { chooseFile } from "../core/file-picker.js";
import { titled } from "../core/format.js";
import { attempt } from "../core/login.js";
import { remove } from "../core/server.js";
import { currentOf } from "../core/state.js";
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
  const what =
    "Choose a .pt or .safetensors file with F5-TTS weights that are fine-tuned on this voice. You can listen before you save.";
  const dialog = openDialog({
    title: `Attach weights to ${champion.title}`,
    look: "narrow",
    body: [
      h("p", {}, what),
      h("p.hint", {}, "The studio checks the file before use."),
      h("p.hint", {}, "S1-Mini cannot use these weights. S1-Mini uses the reference."),
    ],
    actions: [choose],
  });
  choose.focus();
}

/** Buttons for weights that fit. @param {Job} job */
export function weightsOptions(job) {
  const id = job.result?.id ?? "";
  const press = (/** @type {string} */ words, /** @type {string} */ look, /** @type {() => Promise<unknown>} */ act) =>
    h(`button.${look}.small`, { type: "button", onclick: () => attempt(act) }, words);
  const hear = async () => {
    const champion = currentOf(job.champion);
    return champion && audition(onF5(champion), id);
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
    press("Play preview line", "quiet", hear),
    press("Save weights", "primary", keep),
    press("Discard weights", "quiet", drop),
  ];
}

/** With the engine that takes them; settings of another one would mean nothing to it. @param {Champion} champion */
function onF5(champion) {
  return champion.engine === "f5" ? champion : { ...champion, engine: "f5", settings: {} };
}
