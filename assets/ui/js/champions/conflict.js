/**
 * The view of an edit conflict: another user saved the champion first. It shows both versions and offers two ways to
 * save; the typed text is kept.
 */
import { h } from "../core/dom.js";
import { languageName, moment, setting } from "../core/format.js";
import { freeId } from "./library.js";
import { Reference } from "./reference.js";

/** The compared fields, as text. @type {Record<string, (facts: ChampionFacts) => string>} */
const SHOWN = {
  name: ({ name }) => name,
  transcript: ({ transcript }) => transcript,
  line: ({ line }) => line,
  consent: ({ consent }) => [consent?.by, consent?.at, consent?.statement].filter(Boolean).join(", "),
  engine: ({ engine }) => engine,
  settings: ({ settings }) =>
    Object.entries(settings)
      .map(([name, value]) => setting(name, value))
      .sort()
      .join(", "),
  notes: ({ notes }) => notes,
  colour: ({ colour }) => colour,
  language: ({ language }) => (language ? languageName(language) : ""),
};

/**
 * @param {string} message  why the save failed
 * @param {ChampionFacts} mine  the typed facts
 * @param {Champion} theirs  the saved version
 * @param {{over: () => unknown, as: (id: string) => unknown}} ways
 */
export function conflict(message, mine, theirs, { over, as }) {
  const id = h("input", { type: "text", value: freeId(mine.id), "aria-label": "New id", spellcheck: "false" });
  const onclick = () => as(id.value.trim());
  return h(
    "section.conflict",
    { "aria-label": "Conflict", role: "group" },
    h("p.lead", { role: "alert" }, message),
    h("p.hint", {}, `The other version was saved on ${moment(theirs.saved_at)}. Listen:`),
    new Reference(theirs).element,
    differences(mine, theirs),
    h(
      "div.conflict-ways",
      {},
      h("button.quiet", { type: "button", onclick: over }, "Save my version"),
      h(
        "span.hint",
        {},
        "The other version stays in the list of versions. To keep both, save your version with a new id:",
      ),
      h("span.conflict-as", {}, id, h("button.quiet", { type: "button", onclick }, "Save with new id")),
    ),
  );
}

/** Return a table of the fields that differ. @param {ChampionFacts} mine @param {ChampionFacts} theirs */
function differences(mine, theirs) {
  const rows = Object.entries(SHOWN)
    .map(([name, show]) => ({ name, one: show(mine) || "", other: show(theirs) || "" }))
    .filter(({ one, other }) => one !== other)
    .map(({ name, one, other }) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, one || "–"), h("td", {}, other || "–")),
    );
  if (!rows.length) return h("p.hint", {}, "No differences in the text fields.");
  const head = ["", "Your version", "Saved version"].map((words) => h("th", { scope: "col" }, words));
  return h("table.differences", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows));
}
