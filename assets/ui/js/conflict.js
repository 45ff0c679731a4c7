/** Two people saved one champion: theirs beside one's own, and the ways on. Nothing that was typed is lost. */
import { h } from "./dom.js";
import { freeId } from "./library.js";
import { Reference } from "./reference.js";
import { moment } from "./words.js";

const SHOWN = {
  name: (value) => value,
  transcript: (value) => value,
  line: (value) => value,
  consent: (value) => value && [value.by, value.at, value.statement].filter(Boolean).join(", "),
  engine: (value) => value,
  settings: (value) =>
    Object.entries(value)
      .map(([name, number]) => `${name.replaceAll("_", " ")} ${number}`)
      .sort()
      .join(", "),
  notes: (value) => value,
  colour: (value) => value,
};

/**
 * @param {string} message  why it was not saved
 * @param mine  what was typed @param theirs  the champion as it stands now
 * @param {{over: () => void, as: (id: string) => void}} ways
 */
export function conflict(message, mine, theirs, { over, as }) {
  const id = h("input", { type: "text", value: freeId(mine.id), "aria-label": "Another id", spellcheck: "false" });
  return h(
    "section.conflict",
    { "aria-label": "Conflict", role: "group" },
    h("p.lead", { role: "alert" }, message),
    h("p.hint", {}, `Theirs was saved on ${moment(theirs.saved_at)}. Hear it:`),
    new Reference(theirs).element,
    differences(mine, theirs),
    h(
      "div.conflict-ways",
      {},
      h("button.quiet", { type: "button", onclick: over }, "Save mine over it"),
      h("span.hint", {}, "theirs stays among its versions; or"),
      h(
        "span.conflict-as",
        {},
        id,
        h("button.quiet", { type: "button", onclick: () => as(id.value.trim()) }, "Save under this id"),
      ),
    ),
  );
}

/** What is not the same, as a table of yours and theirs. */
function differences(mine, theirs) {
  const rows = Object.entries(SHOWN)
    .map(([name, show]) => [name, show(mine[name]) || "", show(theirs[name]) || ""])
    .filter(([, one, other]) => one !== other);
  if (!rows.length) return h("p.hint", {}, "Both say the same.");
  const head = ["", "Yours", "Theirs"].map((words) => h("th", { scope: "col" }, words));
  const row = ([name, one, other]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, one || "–"), h("td", {}, other || "–"));
  return h("table.differences", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows.map(row)));
}
