/** The result of a delivery: where the files are, and findings to check, grouped by kind. */
import { announce, h, icon } from "../core/dom.js";
import { plural, size } from "../core/format.js";
import { scriptState } from "./state.js";

/** @import { Delivery, Result } from "./delivery-run.js" */
/** @typedef {{kind: string, title: string, files: number, found: {file: string, message: string}[]}} Finding */

const SHOWN = 50; // files shown for each kind

/** @param {Delivery} delivery @param {Result} result */
export function outcome({ to }, { file, name, bytes, where, report }) {
  const files = plural(report.files, "file");
  const lead = `${scriptState.sheet?.name}: ${files} ${to ? `delivered to ${to}` : "ready"}.`;
  const findings = /** @type {Finding[]} */ (report.findings);
  const flags = /** @type {string[]} */ (report.flags);
  announce(`${lead} ${findings.length ? `To check: ${findings.map(({ title }) => title).join(", ")}.` : ""}`);
  const body = [
    h("p.lead", {}, lead),
    to && h("p", {}, h("code.delivery-where", {}, where)),
    (findings.length > 0 || flags.length > 0) && h("h3", {}, "To check"),
    ...findings.map((one) => group(one, findings.length === 1)),
    flags.length > 0 &&
      h("ul.delivery-flags", {}, ...flags.map((flag) => h("li", {}, icon("warn"), h("span", {}, flag)))),
  ].filter((one) => typeof one === "object");
  const words = `Download ${name}, ${size(bytes)}`;
  const download = h(
    to ? "a.quiet.button" : "a.primary.button",
    { href: file, download: name },
    icon("download"),
    words,
  );
  return { body, download };
}

/** @param {Finding} finding @param {boolean} open */
function group({ title, files, found }, open) {
  const items = found
    .slice(0, SHOWN)
    .map(({ file, message }) => h("li", {}, h("code", {}, file), h("span", {}, message)));
  const more = found.length > SHOWN && h("li.hint", {}, `and ${found.length - SHOWN} more (listed in manifest.json)`);
  return h(
    "details.delivery-finding",
    { open },
    h("summary", {}, icon("down"), h("b", {}, title), h("span.hint", {}, plural(files, "file"))),
    h("ul", {}, ...items, ...(more ? [more] : [])),
  );
}
