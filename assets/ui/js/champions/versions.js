/** The dialog with the versions of a champion: their changes, their references, and a button to restore one. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { moment, plural } from "../core/format.js";
import { attempt } from "../core/login.js";
import { get, reason } from "../core/server.js";
import { pathOf, revert } from "./library.js";
import { Reference } from "./reference.js";

const WRITTEN = /** @type {const} */ ([
  ...["name", "transcript", "line", "engine", "settings", "consent", "notes", "colour", "language"],
]);

/** @param {Champion} champion */
export function openVersions({ id, title }) {
  return attempt(async () => {
    const body = [h("p.hint", {}, "Loading versions…")];
    const dialog = openDialog({ title: `Versions of ${title}`, look: "wide", body });
    await show(dialog, id);
  });
}

/** @param {import("../core/dialog.js").Dialog} dialog @param {string} id */
async function show(dialog, id) {
  /** @type {Champion[]} */
  const versions = await get(pathOf(id, "/versions"));
  const expected = versions.find((one) => one.current)?.version ?? "";
  const back = async (/** @type {Champion} */ version) => {
    try {
      await revert(version, expected);
      await show(dialog, id);
    } catch (error) {
      dialog.showError(reason(error));
    }
  };
  const rows = versions.map((one, place) => row(one, versions[place + 1], () => back(one)));
  dialog.show(
    h("p.hint", {}, plural(versions.length, "version"), ", newest first. All versions are kept."),
    h("ol.versions", {}, ...rows),
  );
}

/** @param {Champion} version @param {Champion | undefined} older @param {() => Promise<void>} back */
function row(version, older, back) {
  const { saved_at, current } = version;
  return h(
    "li.version",
    {},
    h("div.version-words", {}, h("p.version-when", {}, moment(saved_at)), h("p.hint", {}, changes(version, older))),
    new Reference(version).element,
    current ? h("span.chip.now", {}, "current") : actionButton("quiet.small", "Restore version", back),
  );
}

/** Describe the changes of a version. @param {Champion} version @param {Champion} [older] */
function changes(version, older) {
  if (!older) return "First version";
  /** @type {string[]} */
  const changed = WRITTEN.filter((name) => JSON.stringify(version[name]) !== JSON.stringify(older[name]));
  if (version.fine_tuned !== older.fine_tuned) changed.push("weights");
  if (Boolean(version.portrait) !== Boolean(older.portrait)) changed.push("portrait");
  return changed.length ? `Changed: ${changed.join(", ")}` : "Changed: reference audio or attached files";
}
