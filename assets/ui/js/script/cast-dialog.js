/** The dialog for the cast: the voices of each character, and other voices for single emotions. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { draftNote } from "../core/drafts.js";
import { plural } from "../core/format.js";
import { get, reason } from "../core/server.js";
import { toast } from "../core/toast.js";
import { castDraft, dropCastDraft, saveCastDraft } from "./cast-draft.js";
import { charactersOf } from "./casting.js";
import { castingRow } from "./casting-row.js";
import { saveCast } from "./project-changes.js";
import { look, projectPath, roles, scriptState } from "./state.js";
import { loadVoices, voices } from "./voices.js";

/** @import { Character } from "./casting.js" */

const HINT =
  "The studio renders each line in every voice of its character. Lines with an emotion that has its own voices use only those voices.";
const PROPOSED = "Suggested because the names match. Save the cast to use this voice.";

export async function openCast() {
  const { project } = scriptState;
  if (!project) return;
  const kept = castDraft(project);
  /** @type {Cast} */ const cast = { ...structuredClone(project.cast), ...kept };
  /** Characters whose voice is suggested. @type {Set<string>} */ const proposed = new Set();
  const list = h("ul.cast-list");
  const draw = () => drawCast(list, cast, proposed, changed);
  const changed = () => {
    saveCastDraft(project, cast);
    draw();
  };
  const startOver = () => {
    dropCastDraft(project);
    for (const name of Object.keys(cast)) delete cast[name];
    Object.assign(cast, structuredClone(project.cast));
    draw();
  };
  const save = actionButton("primary", "Save cast", async () => {
    try {
      await saveCast(project, cast);
      dropCastDraft(project);
      dialog.close();
      await look();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const body = [kept && draftNote(startOver), h("p.hint", {}, HINT), list];
  const dialog = openDialog({ title: "Cast", look: "wide.cast", body, actions: [save], onclose: () => tell(project) });
  draw();
  try {
    const [namesakes] = await Promise.all([get(projectPath("/namesakes", project.id)), loadVoices()]);
    propose(cast, namesakes, proposed);
  } catch (error) {
    dialog.showError(reason(error));
  }
  draw();
}

/** Say that changes which were not saved are kept. @param {Project} project */
function tell(project) {
  if (castDraft(project)) toast("Cast not saved. Your changes are kept as a draft.");
}

/**
 * Suggest the champion of the same name for each character without a voice.
 * @param {Cast} cast @param {Record<string, string>} namesakes @param {Set<string>} proposed
 */
function propose(cast, namesakes, proposed) {
  for (const [character, voice] of Object.entries(namesakes)) {
    if (Object.values(cast[character] ?? {}).some((all) => all.some((one) => one.voice))) continue;
    cast[character] = { ...cast[character], "": [{ voice, engine: "", settings: {} }] };
    proposed.add(character);
  }
}

/** @param {HTMLElement} list @param {Cast} cast @param {Set<string>} proposed @param {() => void} changed */
function drawCast(list, cast, proposed, changed) {
  const pressable = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button, select, input")]);
  const focused = pressable().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const characters = charactersOf(scriptState.lines.values(), roles());
  list.replaceChildren(...characters.map((one) => part(cast, one, proposed.has(one.name), changed)));
  if (focused >= 0) pressable().at(focused)?.focus();
}

/**
 * Return a character with its voices, followed by its emotions with their voices.
 * @param {Cast} cast @param {Character} character @param {boolean} proposed @param {() => void} draw
 */
function part(cast, { name, lines, emotions }, proposed, draw) {
  cast[name] ??= {};
  const by = cast[name];
  const others = emotions.filter((emotion) => !by[emotion]);
  const emotional = Object.keys(by).filter(Boolean);
  return h(
    "li.cast-part",
    {},
    h(
      "div.cast-name",
      {},
      h("b", {}, name || "No character"),
      h("span.hint", {}, plural(lines, "line")),
      proposed && h("span.hint", {}, PROPOSED),
    ),
    ...castings(by, name, "", draw),
    ...emotional.flatMap((emotion) => castings(by, name, emotion, draw)),
    h(
      "div.cast-more",
      {},
      add(by, "", by[""]?.length ? "Add voice" : "", draw),
      others.length > 0 && emotionChoice(by, others, draw),
    ),
  );
}

/** @param {Record<string, Casting[]>} by @param {string} character @param {string} emotion @param {() => void} draw */
function castings(by, character, emotion, draw) {
  const all = by[emotion]?.length ? by[emotion] : [{ voice: "", engine: "", settings: {} }];
  return all.map((casting, at) => {
    const put = (/** @type {Casting | null} */ next) => {
      by[emotion] = next ? all.with(at, next) : all.toSpliced(at, 1);
      if (!by[emotion].length && emotion) delete by[emotion];
      draw();
    };
    const only = all.length === 1 && !emotion;
    return castingRow(casting, {
      character,
      emotion,
      voices: voices(),
      put,
      removable: !only || Boolean(casting.voice),
    });
  });
}

/** @param {Record<string, Casting[]>} by @param {string} emotion @param {string} words @param {() => void} draw */
function add(by, emotion, words, draw) {
  const onclick = () => {
    by[emotion] = [...(by[emotion] ?? []), { voice: "", engine: "", settings: {} }];
    draw();
  };
  return words && h("button.link", { type: "button", onclick }, words);
}

/** @param {Record<string, Casting[]>} by @param {string[]} emotions @param {() => void} draw */
function emotionChoice(by, emotions, draw) {
  const onchange = () => {
    by[select.value] = [{ voice: "", engine: "", settings: {} }];
    draw();
  };
  const options = [["", "Add voice for emotion…"], ...emotions.map((emotion) => [emotion, emotion])];
  const select = h(
    "select",
    { "aria-label": "Add a voice for an emotion", onchange },
    ...options.map(([value, words]) => h("option", { value }, words)),
  );
  return select;
}
