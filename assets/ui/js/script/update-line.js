/** A line of an update: the versions of the file and the studio, which one is used, and the choice between them. */
import { h, icon } from "../core/dom.js";
import { plural } from "../core/format.js";

/**
 * @type {Record<DifferenceKind, {words: string, sign: "warn" | "words" | "download" | "next" | "fail" | "settings"}>}
 */
export const KINDS = {
  both: { words: "Changed in both", sign: "warn" },
  file: { words: "Changed in the file", sign: "download" },
  studio: { words: "Edited in the studio", sign: "words" },
  added: { words: "New in the file", sign: "download" },
  removed: { words: "Not in the file", sign: "fail" },
  moved: { words: "Moved", sign: "next" },
};

/** @typedef {{element: HTMLElement, box: HTMLInputElement | null, draw: (kept: boolean) => void}} UpdateLine */

/** @param {LineDifference} line @param {boolean} kept @param {(kept: boolean) => void} choose @returns {UpdateLine} */
export function updateLine(line, kept, choose) {
  const box = line.keepable ? h("input", { type: "checkbox", tabindex: "-1" }) : null;
  box?.addEventListener("change", () => choose(box.checked));
  const { words, sign } = KINDS[line.kind];
  const name = line.id || line.text.slice(0, 40) || "Line without an id";
  const cells = line.cells.map(cell);
  const element = h(
    "li.update-line",
    { tabindex: "-1", "data-kind": line.kind },
    h(
      "div.update-head",
      {},
      h("b", {}, name),
      h("span.hint", {}, line.character),
      h("span.update-kind", {}, icon(sign), words),
      line.moved && line.kind !== "moved" && h("span.hint", {}, "moved"),
      line.shares_id && h("span.hint.update-shared", {}, icon("warn"), "duplicate id"),
      line.takes > 0 && h("span.hint", {}, plural(line.takes, "take")),
      h("span.gap"),
      box && h("label.check", {}, box, keepWords(line)),
    ),
    !line.cells.length && h("p.update-text", {}, line.text),
    ...presence(line),
    ...cells.map((one) => one.element),
  );
  const draw = (/** @type {boolean} */ now) => {
    if (box) box.checked = now;
    element.classList.toggle("kept", now);
    for (const one of cells) one.draw(now);
  };
  draw(kept);
  return { element, box, draw };
}

/** @param {LineDifference} line */
function keepWords({ in_file, deleted, kind }) {
  if (deleted) return "Keep line deleted";
  return in_file || kind === "both" ? "Keep my edits" : "Keep line";
}

/** Return a note for a line that only the file or only the studio has. @param {LineDifference} line */
function presence({ deleted, in_file, kind }) {
  if (deleted) return [h("p.hint", {}, "You deleted this line in the studio.")];
  if (in_file) return [];
  const words = {
    studio: "You added this line in the studio. The file does not contain this line.",
    both: "You edited this line in the studio. The file no longer contains this line.",
  };
  return kind in words ? [h("p.hint", {}, words[/** @type {"studio" | "both"} */ (kind)])] : [];
}

/**
 * Show the versions of a cell. An icon and a word mark the used version, not only colour.
 * @param {CellDifference} cell
 */
function cell({ title, kind, before, studio, file }) {
  const [ofFile, ofStudio] = [version("New file", file), version("Studio", studio)];
  const was = kind === "both" && before !== null && version("Last import", before).element;
  const element = h(
    "div.update-cell",
    { "data-kind": kind },
    h("span.update-title", {}, title),
    ofFile.element,
    ofStudio.element,
    was,
  );
  const draw = (/** @type {boolean} */ kept) => {
    const usesStudio = kept && kind !== "file";
    ofFile.use(!usesStudio);
    ofStudio.use(usesStudio);
  };
  return { element, draw };
}

/** @param {string} name @param {string} value */
function version(name, value) {
  const used = h("span.update-used", {}, icon("check"), "used");
  const element = h(
    "div.update-version",
    {},
    h("span.label", {}, name, used),
    value ? h("span", {}, value) : h("span.hint", {}, "empty"),
  );
  const use = (/** @type {boolean} */ now) => {
    element.classList.toggle("used", now);
    used.hidden = !now;
  };
  use(false);
  return { element, use };
}
