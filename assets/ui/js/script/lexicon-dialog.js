/** The dialog for words that are spoken differently from their spelling, such as names in a game. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";
import { draftNote, dropDraft, loadDraft, saveDraft } from "../core/drafts.js";
import { chooseFile } from "../core/file-picker.js";
import { get, post, reason } from "../core/server.js";
import { debounced } from "../core/timing.js";
import { upload } from "../core/upload.js";
import { desk, look, projectPath, setProject } from "./desk.js";
import { lexiconRow } from "./lexicon-row.js";
import { recordLexicon, saveLexicon } from "./project-changes.js";
import { speakTest } from "./speak-test.js";
import { loadVoices } from "./voices.js";

/** @typedef {{written: string, spoken: string, respelled: boolean}} Part */
/**
 * @typedef {{project: Project, entries: Respelling[], list: HTMLElement, test: ReturnType<typeof testField>, changed:
 *   boolean}} Desk
 */
/** @typedef {{base: Respelling[], entries: Respelling[]}} LexiconDraft  `base`: the lexicon before the edits */

const HINT =
  "Type how a word sounds, in English spelling or IPA: KAYL-thass or /ˈkeɪlθæs/ for Kael’thas. Takes of lines with this word become stale.";

export async function openLexicon() {
  const { project } = desk;
  if (!project) return;
  const list = h("ul.lexicon-list");
  const test = testField(() => save());
  /** @type {Desk} */
  const now = { project, entries: structuredClone(project.lexicon), list, test, changed: false };
  list.addEventListener("keydown", (event) => isLastEnter(event, list) && addWord(now));
  const note = recovered(now, project.lexicon);
  const save = () => saved(now);
  const keep = actionButton("primary", "Save lexicon", async () => {
    try {
      await save();
      dialog.close();
      await look();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const dialog = openDialog({ title: "Lexicon", look: "wide.cast", body: [], actions: [keep] });
  const tell = dialog.showError;
  dialog.show(
    ...(note ? [note] : []),
    h("p.hint", {}, HINT),
    list,
    h("div.lexicon-tools", {}, addButton(now), importButton(now, tell), exportLink()),
    test.element,
  );
  draw(now);
  await loadVoices().catch((error) => dialog.showError(reason(error)));
  draw(now);
}

/** Save the lexicon. It is saved before each test. Throws Refusal. @param {Desk} now */
async function saved(now) {
  const entries = now.entries.filter(({ word }) => word.trim());
  if (now.changed) await saveLexicon(now.project, entries);
  now.changed = false;
  now.project = { ...now.project, lexicon: structuredClone(entries) };
  dropDraft(about(now.project));
}

/** @param {Project} project */
function about({ id }) {
  return `lexicon ${id}`;
}

/**
 * Restore the unsaved draft, and add words that the lexicon got since. Return a note with a button that discards the
 * draft.
 * @param {Desk} now @param {Respelling[]} lexicon
 */
function recovered(now, lexicon) {
  /** @type {LexiconDraft | null} */
  const draft = loadDraft(about(now.project));
  if (!draft) return null;
  const known = [...draft.base, ...draft.entries].map(({ word }) => word);
  now.entries = [...draft.entries, ...lexicon.filter(({ word }) => !known.includes(word))];
  now.changed = true;
  return draftNote(() => {
    dropDraft(about(now.project));
    now.entries = structuredClone(lexicon);
    now.changed = false;
    draw(now);
  });
}

/** @param {Desk} now */
function edited(now) {
  now.changed = true;
  saveDraft(about(now.project), { base: desk.project?.lexicon ?? [], entries: now.entries });
}

/** @param {Desk} now */
function draw(now) {
  const { entries, list } = now;
  const none = h("li.hint", {}, "No words yet.");
  list.replaceChildren(...(entries.length ? entries.map((entry) => row(now, entry)) : [none]));
}

/** @param {Desk} now @param {Respelling} entry */
function row(now, entry) {
  const change = (/** @type {Partial<Respelling>} */ part) => {
    Object.assign(entry, part);
    edited(now);
  };
  const remove = () => {
    now.entries.splice(now.entries.indexOf(entry), 1);
    edited(now);
    draw(now);
  };
  return lexiconRow(entry, change, remove);
}

/** @param {Desk} now */
function addWord(now) {
  now.entries.push({ word: "", spoken: "", match_case: false, whole_word: true, voice: "" });
  draw(now);
  /** @type {HTMLElement | null} */ (now.list.querySelector("li:last-child input"))?.focus();
}

/**
 * Return true if Enter was pressed in a text field of the last word.
 * @param {KeyboardEvent} event @param {HTMLElement} list
 */
function isLastEnter({ key, isComposing, target }, list) {
  const field = key === "Enter" && !isComposing && target instanceof HTMLInputElement && target.type === "text";
  return field && list.lastElementChild?.contains(target) && target.value.trim() !== "";
}

/** @param {Desk} now */
function addButton(now) {
  return h("button.quiet.small", { type: "button", onclick: () => addWord(now) }, "Add word");
}

/**
 * Return a button that imports a file and adds its words to the lexicon.
 * @param {Desk} now @param {(text: string) => void} tell
 */
function importButton(now, tell) {
  const bring = async (/** @type {File} */ file) => {
    try {
      const before = await get(projectPath("", now.project.id));
      const told = await upload(projectPath("/lexicon.pls"), file);
      setProject(told);
      recordLexicon(before, told);
      now.project = { ...now.project, lexicon: structuredClone(told.lexicon) };
      const mine = now.changed
        ? now.entries.filter(({ word }) => !told.lexicon.some((/** @type {Respelling} */ one) => one.word === word))
        : [];
      now.entries = [...told.lexicon, ...mine];
      draw(now);
      tell(told.notes.join(" "));
    } catch (error) {
      tell(reason(error));
    }
  };
  return h(
    "button.quiet.small",
    { type: "button", onclick: () => chooseFile(".pls,.xml", bring) },
    icon("upload"),
    "Import PLS",
  );
}

function exportLink() {
  return h(
    "a.button.quiet.small",
    { href: projectPath("/lexicon.pls"), download: "lexicon.pls" },
    icon("download"),
    "Export PLS",
  );
}

/** Return a field that shows and plays how a sentence is spoken. @param {() => Promise<void>} save */
function testField(save) {
  const first = [...desk.lines.values()].find(({ deleted }) => !deleted);
  const input = h("input", { type: "text", value: sentenceOf(first), "aria-label": "Test sentence" });
  const spoken = h("p.spoken-form", { "aria-live": "polite" });
  const preview = async () => {
    try {
      await save();
      const { parts } = await post(projectPath("/spoken"), { text: input.value, voice: "" });
      spoken.replaceChildren(
        ...parts.map((/** @type {Part} */ part) => (part.respelled ? h("em", {}, part.spoken) : part.spoken)),
      );
    } catch (error) {
      spoken.replaceChildren(reason(error));
    }
  };
  input.addEventListener("input", debounced(250, preview));
  const play = actionButton("quiet", "Play sentence", async () => {
    await preview();
    await speakTest(spoken.textContent ?? "", desk.project?.cast ?? {});
  });
  const see = actionButton("quiet", "Spoken as", preview);
  return {
    element: h("fieldset.lexicon-test", {}, h("legend", {}, "Test"), h("div", {}, input, see, play), spoken),
    preview,
  };
}

/** @param {ScriptLine | undefined} line */
function sentenceOf(line) {
  const column = desk.sheet?.roles.text;
  return typeof column === "number" ? (line?.cells[column] ?? "") : "";
}
