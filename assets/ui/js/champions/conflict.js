/** Two people saved one champion: theirs beside one's own, and the ways on. Nothing that was typed is lost. */
import { h } from "../core/dom.js";
import { moment, setting } from "../core/format.js";
import { freeId } from "./library.js";
import { Reference } from "./reference.js";

/** What is compared, as words. @type {Record<string, (facts: ChampionFacts) => string>} */
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
};

/**
 * @param {string} message  why it was not saved
 * @param {ChampionFacts} mine  what was typed
 * @param {Champion} theirs  as it stands now
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
      h("button.quiet", { type: "button", onclick: over }, "Replace with mine"),
      h("span.hint", {}, "The other version stays in Versions. To keep both, save yours with a new id:"),
      h("span.conflict-as", {}, id, h("button.quiet", { type: "button", onclick }, "Save with new id")),
    ),
  );
}

/** What is not the same, as a table of yours and theirs. @param {ChampionFacts} mine @param {ChampionFacts} theirs */
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
