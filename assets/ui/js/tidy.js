/** What Gradio's own markup leaves out for people who use a screen reader. */
import { whenThere } from "./dom.js";

export async function tidyGradio() {
  document.documentElement.lang = "en";
  const transcript = await whenThere("#transcript textarea");
  transcript.setAttribute("spellcheck", "true");
  const engine = await whenThere("#engine");
  engine.setAttribute("aria-label", "Engine");
  for (const [kind, words] of [
    ["number", "Speed"],
    ["range", "Speed, as a slider"],
  ]) {
    (await whenThere(`#speed input[type=${kind}]`)).setAttribute("aria-label", words);
  }
  const script = await whenThere("#script textarea");
  script.setAttribute("aria-label", "Script");
}
