/** The test sentence of the lexicon: shows and plays how the first voice of the cast speaks a sentence. */
import * as player from "../audio/player.js";
import { contextAt, Track } from "../audio/tracks.js";
import { actionButton } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { languageName } from "../core/format.js";
import { attempt } from "../core/login.js";
import { post, reason, sound } from "../core/server.js";
import { debounced } from "../core/timing.js";
import { languageChoice } from "./lexicon-row.js";
import { projectPath, scriptState } from "./state.js";
import { voices } from "./voices.js";

/** @typedef {{written: string, spoken: string, respelled: boolean}} Part */
/** @typedef {{text: string, parts: Part[], language: string}} Spoken */

const RATE = 48_000;
const KEY = "lexicon";

/** Return a field that shows and plays how a sentence is spoken. @param {() => Promise<void>} save */
export function testField(save) {
  const first = [...scriptState.lines.values()].find(({ deleted }) => !deleted);
  const input = h("input", { type: "text", value: cellOf(first, "text"), "aria-label": "Test sentence" });
  const shown = h("p.spoken-form", { "aria-live": "polite" });
  const choice = h("span");
  let language = tagOf(cellOf(first, "language"));
  const preview = async () => {
    try {
      await save();
      const spoken = await spokenForm(input.value, language);
      shown.replaceChildren(...spoken.parts.map((part) => (part.respelled ? h("em", {}, part.spoken) : part.spoken)));
      return spoken;
    } catch (error) {
      shown.replaceChildren(reason(error));
      return null;
    }
  };
  const choose = (/** @type {string} */ chosen) => {
    language = chosen;
    preview();
  };
  input.addEventListener("input", debounced(250, preview));
  const play = actionButton("quiet", "Play sentence", async () => {
    const spoken = await preview();
    if (spoken) await speak(spoken);
  });
  const see = actionButton("quiet", "Spoken as", preview);
  return {
    element: h("fieldset.lexicon-test", {}, h("legend", {}, "Test"), h("div", {}, input, choice, see, play), shown),
    /** @param {string[]} languages */
    draw: (languages) => choice.replaceChildren(sentenceLanguage(languages, language, choose)),
  };
}

/** @param {string[]} languages @param {string} now @param {(language: string) => void} choose */
function sentenceLanguage(languages, now, choose) {
  return languageChoice("Language of the test sentence", ["", "detect language"], languages, now, choose);
}

/** @param {ScriptLine | undefined} line @param {Role} role */
function cellOf(line, role) {
  const column = scriptState.sheet?.roles[role];
  return typeof column === "number" ? (line?.cells[column] ?? "") : "";
}

/** Return the tag of a language of the sheets; empty if the language is unknown. @param {string} stated  a tag or name */
function tagOf(stated) {
  const names = (/** @type {string} */ tag) => [tag, languageName(tag)].map((name) => name.toLowerCase());
  return scriptState.project?.languages.find((tag) => names(tag).includes(stated.trim().toLowerCase())) ?? "";
}

/** @param {string} text @param {string} language  empty: detect @returns {Promise<Spoken>} */
function spokenForm(text, language) {
  return post(projectPath("/spoken"), { text, voice: firstVoice().voice, language });
}

/** Return the voice that speaks the sentence, and its engine; empty: the server chooses the engine of the voice. */
function firstVoice() {
  const first = Object.values(scriptState.project?.cast ?? {})
    .flatMap((by) => Object.values(by))
    .flat()
    .find(({ clip }) => !clip);
  return { voice: first?.voice ?? voices()[0]?.id ?? "", engine: first?.engine ?? "" };
}

/** Play a sentence through the public speech route. @param {Spoken} spoken */
function speak({ text, language }) {
  const { voice, engine } = firstVoice();
  return attempt(async () => {
    const bytes = await sound("/v1/audio/speech", {
      input: text,
      voice,
      language,
      response_format: "wav",
      ...(engine && { model: engine }),
    });
    const buffer = await contextAt(RATE).decodeAudioData(bytes);
    const track = new Track(buffer.sampleRate);
    track.add(buffer);
    player.play(KEY, track, 0);
  });
}
