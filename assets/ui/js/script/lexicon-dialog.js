/** The dialog for words that are spoken differently from their spelling, such as names in a game. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";
import { draftNote, dropDraft, loadDraft, saveDraft } from "../core/drafts.js";
import { chooseFile } from "../core/file-picker.js";
import { sentence } from "../core/format.js";
import { get, reason } from "../core/server.js";
import { state } from "../core/state.js";
import { upload } from "../core/upload.js";
import { appliesTo } from "./lexicon-languages.js";
import { languageChoice, lexiconRow } from "./lexicon-row.js";
import { recordLexicon, saveLexicon } from "./project-changes.js";
import { lexiconName } from "./project-parts.js";
import { testField } from "./speak-test.js";
import { look, projectPath, scriptState, setProject } from "./state.js";
import { loadVoices } from "./voices.js";

/**
 * @typedef {{project: Project, entries: Respelling[], list: HTMLElement, filter: HTMLElement, shown: string, test:
 *   ReturnType<typeof testField>, changed: boolean}} DialogState
 *   `shown`: the chosen language; the list shows the entries that apply to lines in this language. With "", the list
 *   shows the entries without a language; with ALL, all entries
 */
/** @typedef {{base: Respelling[], entries: Respelling[]}} LexiconDraft  `base`: the lexicon before the edits */

const HINT =
  "Type how a word sounds, in English spelling or IPA: KAYL-thass or /ˈkeɪlθæs/ for Kael’thas. If you choose another language for the word, use the spelling of this language. Many languages also accept IPA. Takes of lines with this word become stale.";
const ALL = "*";

export async function openLexicon() {
  const { project } = scriptState;
  if (!project) return;
  const [list, filter] = [h("ul.lexicon-list"), h("label.lexicon-filter")];
  const test = testField(() => save());
  /** @type {DialogState} */
  const now = { project, entries: structuredClone(project.lexicon), list, filter, shown: ALL, test, changed: false };
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
  const dialog = openDialog({ title: "Lexicon", look: "lexicon", body: [], actions: [keep] });
  const tell = dialog.showError;
  dialog.show(
    ...(note ? [note] : []),
    h("p.hint", {}, HINT),
    filter,
    list,
    h("div.lexicon-tools", {}, addButton(now), importButton(now, tell), exportLink()),
    test.element,
  );
  draw(now);
  const load = async () => {
    now.project.languages = (await get(projectPath("", project.id))).languages;
    await loadVoices();
  };
  await load().catch((error) => dialog.showError(reason(error)));
  draw(now);
}

/**
 * Return the language tags in the sheets, and those of the languages that the checkpoints speak.
 * @param {DialogState} now
 */
function languagesOf({ project }) {
  return [...project.languages, ...(state.telemetry?.engines ?? []).flatMap(({ languages }) => languages)];
}

/** Save the lexicon. It is saved before each test. Throws Refusal. @param {DialogState} now */
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
 * @param {DialogState} now @param {Respelling[]} lexicon
 */
function recovered(now, lexicon) {
  /** @type {LexiconDraft | null} */
  const draft = loadDraft(about(now.project));
  if (!draft) return null;
  const known = [...draft.base, ...draft.entries].map(lexiconName);
  now.entries = [...draft.entries, ...lexicon.filter((entry) => !known.includes(lexiconName(entry)))];
  now.changed = true;
  return draftNote(() => {
    dropDraft(about(now.project));
    now.entries = structuredClone(lexicon);
    now.changed = false;
    draw(now);
  });
}

/** @param {DialogState} now */
function edited(now) {
  now.changed = true;
  saveDraft(about(now.project), { base: scriptState.project?.lexicon ?? [], entries: now.entries });
}

/** @param {DialogState} now */
function draw(now) {
  drawFilter(now);
  drawRows(now);
  now.test.draw(languagesOf(now));
}

/** @param {DialogState} now */
function drawRows(now) {
  const none = h("li.hint", {}, "No words yet.");
  const shown = now.entries.filter(({ language }) => now.shown === ALL || appliesTo(language, now.shown));
  now.list.replaceChildren(...(shown.length ? shown.map((entry) => row(now, entry)) : [none]));
}

/** Show the filter if there are entries of several languages. @param {DialogState} now */
function drawFilter(now) {
  const languages = [...new Set(now.entries.map(({ language }) => language))];
  if (!languages.includes(now.shown)) now.shown = ALL;
  now.filter.hidden = languages.length < 2;
  const choose = (/** @type {string} */ language) => {
    now.shown = language;
    drawRows(now);
  };
  now.filter.replaceChildren(
    "Show words for",
    languageChoice("Show words for", [ALL, "all entries"], languages, now.shown, choose),
  );
}

/** @param {DialogState} now @param {Respelling} entry */
function row(now, entry) {
  const change = (/** @type {Partial<Respelling>} */ part) => {
    Object.assign(entry, part);
    edited(now);
    if (part.language === undefined) return;
    const before = now.shown;
    drawFilter(now);
    if (now.shown !== before) drawRows(now); // only then, because the select would lose the focus
  };
  const remove = () => {
    now.entries.splice(now.entries.indexOf(entry), 1);
    edited(now);
    draw(now);
  };
  return lexiconRow(entry, languagesOf(now), change, remove);
}

/** @param {DialogState} now */
function addWord(now) {
  const language = now.shown === ALL ? "" : now.shown;
  now.entries.push({ word: "", spoken: "", match_case: false, whole_word: true, voice: "", language });
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

/** @param {DialogState} now */
function addButton(now) {
  return h("button.quiet.small", { type: "button", onclick: () => addWord(now) }, "Add word");
}

/**
 * Return a button that imports a file and adds its words to the lexicon.
 * @param {DialogState} now @param {(text: string) => void} tell
 */
function importButton(now, tell) {
  const bring = async (/** @type {File} */ file) => {
    try {
      const before = await get(projectPath("", now.project.id));
      const told = await upload(projectPath("/lexicon.pls"), file);
      setProject(told);
      recordLexicon(before, told);
      now.project = { ...now.project, lexicon: structuredClone(told.lexicon) };
      const known = told.lexicon.map(lexiconName);
      const mine = now.changed ? now.entries.filter((entry) => !known.includes(lexiconName(entry))) : [];
      now.entries = [...told.lexicon, ...mine];
      draw(now);
      tell(told.notes.map(sentence).join(" "));
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
