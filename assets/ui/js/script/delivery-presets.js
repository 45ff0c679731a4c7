/** The presets of a delivery: the studio's presets, and those saved with the project. */
import { announce, h } from "../core/dom.js";
import { attempt } from "../core/login.js";
import { patch } from "../core/server.js";
import { askName } from "./name-dialog.js";
import { projectPath, scriptState } from "./state.js";

/** @typedef {Record<string, any>} Preset */
/** @typedef {{preset: string, choices: Record<string, unknown>}} Chosen */

/** @type {Record<string, string>} */
const TITLES = {
  wwise: "Wwise",
  fmod: "FMOD",
  unreal: "Unreal",
  unity: "Unity",
  plain: "Plain files",
  game: "All game engines, 48 kHz",
  "game-44": "All game engines, 44.1 kHz",
  "review-mp3": "Review, mp3",
  "review-ogg": "Review, ogg",
};
const SAVED = "saved:"; // prefix of the value of a saved preset

export class DeliveryPresets {
  /**
   * @param {Preset[]} presets @param {Chosen} last
   * @param {{onpick: () => void, chosen: () => Chosen}} page  `chosen` returns the values of the fields
   */
  constructor(presets, last, { onpick, chosen }) {
    this.presets = presets;
    this.page = { onpick, chosen };
    this.select = h("select", { onchange: () => this.#pick() });
    this.save = h("button.quiet.small", { type: "button", onclick: () => this.#save() }, "Save as preset…");
    this.remove = h("button.quiet.small", { type: "button", onclick: () => this.#remove() }, "Delete preset");
    this.tools = h("div.delivery-tools", {}, this.save, this.remove);
    /** The initial values of the fields. @type {Chosen} */
    this.start = {
      preset: presets.some(({ name }) => name === last.preset) ? last.preset : presets[0].name,
      choices: {},
    };
    if (this.start.preset === last.preset) this.start = { preset: last.preset, choices: last.choices };
    const same = saved().find((one) => isSame(one, this.start));
    this.#draw(same ? SAVED + same.name : this.start.preset);
  }

  /** Return the studio's preset that the choices modify. */
  get base() {
    return this.presets.find(({ name }) => name === this.start.preset) ?? this.presets[0];
  }

  /** Return the choices of the selected preset, which "Reset to preset" restores. */
  get own() {
    return saved().find(({ name }) => SAVED + name === this.select.value)?.choices ?? {};
  }

  /** @param {string} value */
  #draw(value) {
    const studio = Object.keys(TITLES).filter((name) => this.presets.some((preset) => preset.name === name));
    const others = this.presets.map(({ name }) => name).filter((name) => !studio.includes(name));
    const option = (/** @type {string} */ name, /** @type {string} */ title) => h("option", { value: name }, title);
    const own = saved().map(({ name }) => option(SAVED + name, name));
    this.select.replaceChildren(
      ...(own.length ? [h("optgroup", { label: "Project presets" }, ...own)] : []),
      ...[...studio, ...others].map((name) => option(name, TITLES[name] ?? name)),
    );
    this.select.value = value;
    this.remove.hidden = !value.startsWith(SAVED);
  }

  #pick() {
    const { value } = this.select;
    const kept = saved().find(({ name }) => SAVED + name === value);
    this.start = kept ? { preset: kept.preset, choices: kept.choices } : { preset: value, choices: {} };
    this.remove.hidden = !kept;
    this.page.onpick();
  }

  #save() {
    const before = this.select.value.startsWith(SAVED) ? this.select.value.slice(SAVED.length) : "";
    askName("Save preset", "Name", "Save preset", before, async (name) => {
      const others = saved().filter((one) => one.name !== name);
      await keep([...others, { name, ...this.page.chosen() }]);
      this.#draw(SAVED + name);
      announce(`Preset ${name} saved with the project.`);
      this.select.focus();
    });
  }

  #remove() {
    const name = this.select.value.slice(SAVED.length);
    return attempt(async () => {
      await keep(saved().filter((one) => one.name !== name));
      this.#draw(this.start.preset);
      this.page.onpick();
      announce(`Preset ${name} deleted. The settings below did not change.`);
      this.select.focus();
    });
  }
}

function saved() {
  return scriptState.project?.presets ?? [];
}

/** Save the project's presets. Throws Refusal. @param {SavedPreset[]} presets */
async function keep(presets) {
  const told = await patch(projectPath(), { presets });
  if (scriptState.project && scriptState.project.id === told.id)
    scriptState.project = { ...scriptState.project, presets: told.presets };
}

/** @param {Chosen} one @param {Chosen} other */
function isSame(one, other) {
  const told = (/** @type {Chosen} */ { preset, choices }) => JSON.stringify([preset, Object.entries(choices).sort()]);
  return told(one) === told(other);
}
