/** A row of the Cast dialog: one voice of a character, with its engine and settings. */
import * as player from "../audio/player.js";
import { load } from "../audio/tracks.js";
import { h, iconButton } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { settingFields } from "../core/setting-fields.js";
import { engineOf, state } from "../core/state.js";
import { clipOptions, clipPart, clipWords } from "./cast-clip.js";
import { isClip, referenceOf, voiceName } from "./voices.js";

const RATE = 48_000; // sample rate for references

/**
 * @param {Casting} casting
 * @param {{character: string, emotion: string, voices: NamedVoice[], put: (next: Casting | null) => void, removable:
 *   boolean}} how
 *   `put` gets the changed casting; null if it is removed
 */
export function castingRow(casting, { character, emotion, voices, put, removable }) {
  const who = `${character || "lines without a character"}${emotion && ` (${emotion})`}`;
  const whose = `of ${who}`;
  const voice = select(`Voice ${whose}`, casting.voice, voiceOptions(voices, casting.voice), (value) =>
    put({ voice: value, engine: casting.engine, settings: {}, ...clipPart(value) }),
  );
  const engines = (state.telemetry?.engines ?? []).map(({ name, title }) => [name, title]);
  const engine = select(`Engine ${whose}`, casting.engine, [["", "Default engine"], ...engines], (value) =>
    put({ ...casting, engine: value, settings: {} }),
  );
  return h(
    "div.casting",
    {},
    h("span.cast-emotion", {}, emotion || "Any emotion"),
    voice,
    playButton(casting),
    engine,
    casting.clip && clipWords(casting, whose, put),
    settings(casting, voices, put),
    removable && iconButton("close", `Remove this voice from ${who}`, () => put(null)),
  );
}

/** Return a button that plays the reference of a voice, or stops it. @param {Casting} casting */
function playButton({ voice: id, clip }) {
  const path = clip
    ? `/studio/clips/${clip.clip_id}/audio.wav?start=${clip.start_s}&end=${clip.end_s}`
    : referenceOf(id);
  const play = () =>
    player.isPlaying(path) ? player.stop() : attempt(async () => player.play(path, await load(path, RATE), 0));
  const label = id ? `Play reference of ${voiceName(id)}` : "Play reference";
  return iconButton("play", label, play, { disabled: !path });
}

/** @param {NamedVoice[]} voices @param {string} now @returns {string[][]} */
function voiceOptions(voices, now) {
  const known = voices.map(({ id, name, kind }) => [id, kind === "sample" ? `${name} (sample)` : name]);
  const gone =
    now && !isClip(now) && !voices.some(({ id }) => id === now)
      ? [[now, voices.length ? `${now} (not available)` : now]]
      : [];
  return [["", "No voice"], ...known, ...clipOptions(now), ...gone];
}

/** @param {string} label @param {string} now @param {string[][]} options @param {(value: string) => void} choose */
function select(label, now, options, choose) {
  const element = h("select", { "aria-label": label });
  element.addEventListener("change", () => choose(element.value));
  element.append(...options.map(([value, words]) => h("option", { value, selected: value === now }, words)));
  return element;
}

/**
 * Return fields for the settings that the engine uses. An empty field means the voice's own value.
 * @param {Casting} casting @param {NamedVoice[]} voices @param {(next: Casting) => void} put
 */
function settings(casting, voices, put) {
  const own = voices.find(({ id }) => id === casting.voice)?.model;
  const engine = engineOf(casting.engine || own || state.telemetry?.engines[0]?.name || "");
  if (!engine || !casting.voice) return null;
  return settingFields(engine, casting.settings, (next) => {
    casting.settings = next;
    put({ ...casting });
  });
}
