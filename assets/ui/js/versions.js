/** The versions of a champion: what each changed, heard, and made the current one again. */
import { h } from "./dom.js";
import { at, revert } from "./library.js";
import { attempt } from "./login.js";
import { Reference } from "./reference.js";
import { get } from "./server.js";
import { doing, openSheet } from "./sheet.js";
import { plural } from "./words.js";
import { moment } from "./words.js";

const WRITTEN = ["name", "transcript", "line", "engine", "settings", "consent", "notes", "colour"];

export function openVersions({ id, title }) {
  return attempt(async () => {
    const sheet = openSheet({
      title: `Versions of ${title}`,
      look: "wide",
      body: [h("p.hint", {}, "Looking them up.")],
    });
    await show(sheet, id);
  });
}

async function show(sheet, id) {
  const versions = await get(at(id, "/versions"));
  const current = versions.find((one) => one.current);
  const back = async (version) => {
    try {
      await revert(version, current.version);
      await show(sheet, id);
    } catch (error) {
      sheet.say(error.message);
    }
  };
  const rows = versions.map((one, place) => row(one, versions[place + 1], () => back(one)));
  sheet.show(
    h("p.hint", {}, plural(versions.length, "version"), ", newest first. None is ever lost."),
    h("ol.versions", {}, ...rows),
  );
}

function row(version, older, back) {
  const { saved_at, current } = version;
  return h(
    "li.version",
    {},
    h("div.version-words", {}, h("p.version-when", {}, moment(saved_at)), h("p.hint", {}, changes(version, older))),
    new Reference(version).element,
    current ? h("span.chip.now", {}, "current") : doing("quiet.small", "Restore", back),
  );
}

/** What a version changed, in words. */
function changes(version, older) {
  if (!older) return "the first one";
  const changed = WRITTEN.filter((name) => JSON.stringify(version[name]) !== JSON.stringify(older[name]));
  if (version.fine_tuned !== older.fine_tuned) changed.push("weights");
  if (Boolean(version.portrait) !== Boolean(older.portrait)) changed.push("portrait");
  return changed.length ? `changed: ${changed.join(", ")}` : "changed: sound or files";
}
