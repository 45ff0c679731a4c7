/** Fine-tuned weights for a champion: sent, looked into, heard on trial, then kept or dropped. */
import { chooseFile } from "./choosing.js";
import { h, icon } from "./dom.js";
import { hearLine } from "./hearing.js";
import { dismiss } from "./jobs.js";
import { attach, keepWeights } from "./library.js";
import { attempt } from "./login.js";
import { remove } from "./server.js";
import { openSheet } from "./sheet.js";
import { state } from "./state.js";
import { toast } from "./toast.js";
import { titled } from "./words.js";

export function openWeights(champion) {
  const send = (file) => {
    sheet.close();
    attach(champion, file);
  };
  const onclick = () => chooseFile(".pt,.safetensors", send);
  const choose = h("button.primary", { type: "button", onclick }, icon("upload"), "Choose a file");
  const sheet = openSheet({
    title: `Weights for ${champion.title}`,
    look: "narrow",
    body: [
      h(
        "p",
        {},
        "Weights of F5-TTS fine-tuned on this voice, as .pt or .safetensors. You hear them before they are kept.",
      ),
      h("p.hint", {}, "They are opened apart from the studio and checked against the architecture, name by name."),
      h("p.hint", {}, `S1-Mini goes on speaking ${champion.title} from its reference.`),
    ],
    actions: [choose],
  });
  choose.focus();
}

/** The ways on from weights that fit. */
export function weightsOnTrial(job) {
  const { id } = job.result;
  const champion = () => state.champions.find((one) => one.id === job.champion);
  const press = (words, look, act) => h(`button.${look}.small`, { type: "button", onclick: () => attempt(act) }, words);
  const keep = async () => {
    await keepWeights(id);
    await dismiss(job);
    toast(`${titled(champion().title)} has its own weights now.`);
  };
  const drop = async () => {
    await remove(`/studio/attachments/${id}`);
    await dismiss(job);
  };
  return [
    press("Hear it", "quiet", () => hearLine(onF5(champion()), id)),
    press("Keep", "primary", keep),
    press("Drop", "quiet", drop),
  ];
}

/** The engine that takes them; settings of another one would mean nothing to it. */
function onF5(champion) {
  return champion.engine === "f5" ? champion : { ...champion, engine: "f5", settings: {} };
}
