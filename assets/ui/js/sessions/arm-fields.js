/** The arms of a session in the editor: for each arm its name, voice, engine, settings and seed. */
import { field } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { settingFields } from "../core/setting-fields.js";
import { engineOf, state } from "../core/state.js";
import { voices } from "../script/voices.js";
import { selectField, textField } from "./bound-fields.js";
import { METHODS } from "./methods.js";
import { freeName } from "./plan.js";
import { redraw } from "./redraw.js";

const SEED_MAX = 2 ** 31 - 1;
const ARMS_MAX = 8;
const ABOUT = "Each arm speaks all lines. Listeners never see the names of arms.";

export class ArmsPart {
  /** @param {SessionDraft} draft @param {() => void} changed */
  constructor(draft, changed) {
    this.draft = draft;
    this.changed = changed;
    this.list = h("div.arm-list");
    this.reference = h("div.arm-reference");
    this.element = h(
      "fieldset",
      { oninput: ({ target }) => this.reference.contains(/** @type {Node} */ (target)) || this.#drawReference() },
      h("legend", {}, "Arms"),
      h("p.hint", {}, ABOUT),
      this.list,
      this.reference,
    );
    this.draw();
  }

  draw() {
    const { arms, method } = this.draft;
    const most = METHODS[method].arms[1];
    const add = h("button.quiet", { type: "button", onclick: () => this.#add(arms.length - 1) }, "Add arm");
    add.disabled = arms.length >= most;
    redraw(this.list, [...arms.map((_, at) => this.#arm(at)), add]);
    this.#drawReference();
  }

  /** Let the user choose the hidden reference of MUSHRA. */
  #drawReference() {
    const { draft } = this;
    const options = draft.arms.map(({ name }, at) => [String(at), name || `Arm ${at + 1}`]);
    const choose = (/** @type {string} */ value) => {
      draft.reference = Number(value);
      this.changed();
    };
    const hint = "Listeners hear this arm twice: labelled as reference, and hidden among the takes.";
    const part = field("Reference arm", selectField(String(draft.reference), options, choose), hint);
    this.reference.replaceChildren(...(draft.method === "mushra" ? [part] : []));
  }

  /** @param {(arms: SessionArm[]) => SessionArm[]} change */
  #change(change) {
    this.draft.arms = change(this.draft.arms);
    this.draw();
    this.changed();
  }

  /** Add a copy of an arm. @param {number} at */
  #add(at) {
    this.#change((arms) => [...arms, { ...structuredClone(arms[at]), name: freeName(arms[at].name, arms) }]);
    /** @type {HTMLInputElement | null} */
    const name = this.list.querySelector("fieldset:last-of-type input");
    name?.select();
  }

  /** @param {number} at */
  #remove(at) {
    const { reference } = this.draft;
    if (reference > at || reference === this.draft.arms.length - 1) this.draft.reference = Math.max(0, reference - 1);
    this.#change((arms) => arms.toSpliced(at, 1));
  }

  /** @param {number} at */
  #arm(at) {
    const { arms, method } = this.draft;
    const arm = arms[at];
    const words = `Arm ${at + 1}`;
    const duplicate = small("Duplicate", words, () => this.#add(at), arms.length >= ARMS_MAX);
    const remove = small("Remove", words, () => this.#remove(at), arms.length <= METHODS[method].arms[0]);
    const put = (/** @type {Partial<SessionArm>} */ next) =>
      this.#change((all) => all.with(at, { ...all[at], ...next }));
    return h(
      "fieldset.arm",
      {},
      h("legend", {}, words),
      field("Name", textField(arm, "name", { required: true, maxlength: 80, spellcheck: "false" })),
      field("Voice", voiceField(arm, put)),
      field("Engine", engineField(arm, put), engineOfArm(arm)?.good_at),
      field("Seed", seedField(arm), "Leave empty to use a different seed for each line."),
      settingsOf(arm, at, put),
      h("div.arm-acts", {}, duplicate, remove),
    );
  }
}

/** @param {string} words @param {string} of @param {() => void} onclick @param {boolean} disabled */
function small(words, of, onclick, disabled) {
  return h("button.quiet.small", { type: "button", "aria-label": `${words} ${of}`, onclick, disabled }, words);
}

/** @typedef {(next: Partial<SessionArm>) => void} Put */

/** @param {SessionArm} arm @param {Put} put */
function voiceField({ voice }, put) {
  const known = voices().map(({ id, name, kind }) => [id, kind === "sample" ? `${name} (sample)` : name]);
  const gone = voice && !known.some(([id]) => id === voice) ? [[voice, `${voice} (not available)`]] : [];
  const options = [["", "Choose a voice"], ...known, ...gone];
  return selectField(voice, options, (next) => put({ voice: next }), { required: true });
}

/** @param {SessionArm} arm @param {Put} put */
function engineField({ engine, settings }, put) {
  const running = (state.telemetry?.engines ?? []).map(({ name, title }) => [name, title]);
  const gone = engine && !running.some(([name]) => name === engine) ? [[engine, `${engine} (not available)`]] : [];
  return selectField(engine, [["", "Default engine"], ...running, ...gone], (next) => {
    const { seed } = settings;
    put({ engine: next, settings: seed === undefined ? {} : { seed } });
  });
}

/** Return the engine that speaks an arm, if the studio runs this engine. @param {SessionArm} arm */
function engineOfArm({ voice, engine }) {
  const own = voices().find(({ id }) => id === voice)?.model;
  return engineOf(engine || own || state.telemetry?.engines[0]?.name || "");
}

/** @param {SessionArm} arm */
function seedField(arm) {
  const limits = { type: "number", min: 0, max: SEED_MAX, step: 1, placeholder: "one for each line" };
  const input = h("input", { ...limits, value: arm.settings.seed ?? null });
  input.addEventListener("input", () => {
    const { seed: _, ...others } = arm.settings;
    arm.settings = input.value === "" ? others : { ...others, seed: Number(input.value) };
  });
  return input;
}

/** @param {SessionArm} arm @param {number} at @param {Put} put */
function settingsOf(arm, at, put) {
  const engine = engineOfArm(arm);
  if (!engine) return h("span");
  const { seed, ...others } = arm.settings;
  const fields = settingFields(engine, others, (next) =>
    put({ settings: seed === undefined ? next : { ...next, seed } }),
  );
  fields.dataset.name = `settings of arm ${at}`;
  return fields;
}
