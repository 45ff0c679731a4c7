/** Under the script: how it will be spoken, how long that takes, and a button for pauses. */
import { follow, on } from "./bus.js";
import { debounced, h, icon, whenThere } from "./dom.js";
import * as fields from "./fields.js";
import { markerMenu } from "./markers.js";
import { post } from "./server.js";
import { order } from "./state.js";
import { pauseTag, plural, seconds, sentence } from "./words.js";

const PAUSE_S = 0.8;
let asked = 0;

export function mount(element) {
  const said = h("p.spoken-form");
  const facts = h("p.facts");
  const pause = h(
    "button.quiet.small",
    {
      type: "button",
      title: `Inserts ${pauseTag(PAUSE_S)} where the cursor is`,
      onclick: () => fields.insert("script", pauseTag(PAUSE_S)),
    },
    icon("pausemark"),
    "Insert pause",
  );
  element.append(h("div.spoken", {}, said, h("div.spoken-facts", {}, facts, markerMenu(), pause)));
  const soon = debounced(200, () => preview(said, facts));
  on("field", (name) => ["script", "transcript"].includes(name) && soon());
  whenThere("#speed").then((slider) => slider.addEventListener("input", soon)); // dragged, or its number typed
  follow(["engine", "voice", "champion"], soon);
  fields.ready.then(soon);
}

async function preview(said, facts) {
  const mine = ++asked;
  const text = fields.text("script");
  if (!text.trim()) return show(said, facts, null);
  try {
    const read = await post("/studio/script", order());
    if (mine === asked) show(said, facts, read);
  } catch (error) {
    if (mine === asked) show(said, facts, { spoken: [], unsaid: [], characters: text.length, error: error.message });
  }
}

function show(said, facts, read) {
  said.className = `spoken-form${read?.error ? " failed" : ""}`;
  if (!read) {
    said.replaceChildren("How it will be spoken appears here.");
    facts.textContent = "";
    return;
  }
  const differs = read.spoken.some((part) => part.kind === "pause" || part.spoken.trim() !== part.typed.trim());
  if (read.error) said.replaceChildren(icon("fail"), h("span", {}, sentence(read.error)));
  else if (differs) said.replaceChildren(h("span.label", {}, "Spoken as"), ...read.spoken.flatMap(part));
  else said.replaceChildren(h("span.label", {}, read.unsaid.length ? "Otherwise spoken as typed" : "Spoken as typed"));
  if (read.unsaid.length && !read.error) said.prepend(h("span.unsaid", {}, `Not heard: ${read.unsaid.join(" ")}`));
  facts.textContent = [read.error ? "" : `About ${seconds(read.estimate_s)}`, plural(read.characters, "character")]
    .filter(Boolean)
    .join(" · ");
}

/** A piece of speech with what was spelled out marked, or a pause. */
function part(piece) {
  if (piece.kind === "pause") return [h("span.pause-mark", {}, `${piece.duration_s} s pause`), " "];
  const typed = new Set(piece.typed.split(/\s+/));
  const words = piece.spoken.trim().split(/\s+/);
  return words.flatMap((word) => [typed.has(word) ? word : h("em", {}, word), " "]);
}
