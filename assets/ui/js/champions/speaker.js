/** Shows a champion as the voice of the Speak page, and chooses it with its preferred engine and settings. */
import { follow } from "../core/bus.js";
import { byId, h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import * as fields from "../core/fields.js";
import { titled } from "../core/format.js";
import { attempt } from "../core/login.js";
import { championOf, draft, engineOf, isCurrent, restore, state, tunedEngine } from "../core/state.js";
import { toast } from "../core/toast.js";
import { face } from "./portrait.js";
import { Reference } from "./reference.js";

const CHOSEN = ["engine", ...fields.NUMBERS];

/** Use a champion on the Speak page, with its preferred engine and settings. @param {string} id */
export function speakWith(id) {
  return attempt(async () => {
    const champion = await championOf(id);
    const before = draft();
    await restore({ ...before, clip_id: "", champion: id, version: "", ...preferred(champion) });
    const changed = CHOSEN.some((name) => draft()[name] !== before[name]);
    const onaction = () => attempt(() => restore({ ...before, clip_id: "" }, fields.SETTINGS));
    if (changed)
      toast(`Engine and settings changed to the defaults of ${titled(champion.title)}.`, { action: "Undo", onaction });
  });
}

/**
 * Return the preferred engine and settings; nothing if this studio does not have the engine.
 * @param {Champion} champion
 */
function preferred({ engine, settings }) {
  return engineOf(engine) ? { engine, ...settingsOf(settings) } : {};
}

/**
 * Return all settings. A missing setting becomes null, so that the engine's default applies.
 * @param {Settings} settings @returns {Settings}
 */
export function settingsOf(settings) {
  return Object.fromEntries(fields.NUMBERS.map((name) => [name, settings[name] ?? null]));
}

/** Return the part of the voice card that shows the chosen champion. */
export function speakerCard() {
  const element = h("div.speaker", { hidden: true });
  follow([STATE.champion, STATE.engine], () => {
    const { champion } = state;
    byId("voice-panel").classList.toggle("cast", Boolean(champion));
    element.hidden = !champion;
    if (!champion) return;
    element.replaceChildren(
      h("div.speaker-head", {}, face(champion), h("div", {}, h("p.speaker-name", {}, champion.title), facts(champion))),
      new Reference(champion).element,
      h("blockquote.speaker-words", {}, champion.transcript),
      ...remarks(champion).map((words) => h("p.hint", {}, words)),
    );
  });
  return element;
}

/** @param {Champion} champion */
function facts(champion) {
  const words = [champion.id, !isCurrent(champion) && "older version", champion.fine_tuned && "fine-tuned"];
  return h("p.facts", {}, ...words.filter(Boolean).map((one) => h("span.fact", {}, one)));
}

/** @param {Champion} champion */
function remarks({ title, fine_tuned }) {
  const engine = engineOf(fields.engine());
  if (!fine_tuned || !engine || engine.fine_tunes) return [];
  const tuned = tunedEngine();
  const need = tuned
    ? `These work only with ${tuned.title}.`
    : "The weights need an engine that this studio does not run.";
  return [`${engine.title} uses the reference of ${title}, not the fine-tuned weights. ${need}`];
}
