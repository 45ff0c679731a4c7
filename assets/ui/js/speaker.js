/** A champion as the voice of the Speak page: chosen with its engine and settings, and shown on the voice card. */
import { follow } from "./bus.js";
import { h } from "./dom.js";
import * as fields from "./fields.js";
import { attempt } from "./login.js";
import { face } from "./mark.js";
import { Reference } from "./reference.js";
import { championOf, draft, engineOf, isCurrent, restore, state } from "./state.js";
import { toast } from "./toast.js";
import { titled } from "./words.js";

const CHOSEN = ["engine", "seed", ...fields.SETTINGS];

/** Speak with a champion from now on, as it was heard when it was kept. */
export function speakWith(id) {
  return attempt(async () => {
    const champion = await championOf(id);
    const before = draft();
    await restore({ ...before, clip_id: "", champion: id, version: "", ...preferred(champion) });
    const changed = CHOSEN.some((name) => draft()[name] !== before[name]);
    const onaction = () => attempt(() => restore({ ...before, clip_id: "" }, fields.SETTINGS));
    if (changed)
      toast(`${titled(champion.title)} speaks with its own engine and settings now.`, { action: "Undo", onaction });
  });
}

/** Nothing of an engine this studio does not run. */
function preferred({ engine, settings }) {
  if (!engineOf(engine)) return {};
  return { engine, ...Object.fromEntries(["seed", ...fields.SETTINGS].map((name) => [name, settings[name] ?? null])) };
}

/** The part of the voice card that shows who speaks. */
export function speakerCard() {
  const element = h("div.speaker", { hidden: true });
  const draw = () => {
    const { champion } = state;
    document.getElementById("voice-panel").classList.toggle("cast", Boolean(champion));
    element.hidden = !champion;
    if (!champion) return;
    element.replaceChildren(
      h("div.speaker-head", {}, face(champion), h("div", {}, h("p.speaker-name", {}, champion.title), facts(champion))),
      new Reference(champion).element,
      h("blockquote.speaker-words", {}, champion.transcript),
      ...remarks(champion).map((words) => h("p.hint", {}, words)),
    );
  };
  follow(["champion", "engine"], draw);
  return element;
}

function facts({ id, version, ...rest }) {
  const words = [id, !isCurrent({ id, version }) && "an earlier version", rest.fine_tuned && "own weights"];
  return h("p.facts", {}, ...words.filter(Boolean).map((one) => h("span.fact", {}, one)));
}

function remarks({ title, fine_tuned }) {
  const engine = engineOf(fields.engine());
  const ignores = fine_tuned && engine && !engine.fine_tunes;
  return ignores ? [`${engine.title} speaks ${title} from its reference: its own weights are F5-TTS’s.`] : [];
}
