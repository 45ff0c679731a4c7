/** The setting fields of a delivery. Only settings that differ from the preset are sent. */
import { field } from "../core/dialog.js";
import { h, icon } from "../core/dom.js";

/** @typedef {{name: string, read: () => unknown, element: HTMLElement}} Choice */
/** @typedef {Record<string, any>} Preset */

/** @type {Record<string, [string, [string | number, string][]]>} */
const CHOICES = {
  format: [
    "Format",
    [
      ["wav", "wav"],
      ["mp3", "mp3"],
      ["ogg", "ogg"],
    ],
  ],
  sample_rate: [
    "Sample rate",
    [
      [22_050, "22.05 kHz"],
      [24_000, "24 kHz"],
      [44_100, "44.1 kHz"],
      [48_000, "48 kHz"],
      [96_000, "96 kHz"],
    ],
  ],
  bits: [
    "Bit depth (wav)",
    [
      [16, "16"],
      [24, "24"],
    ],
  ],
  loudness: [
    "Loudness",
    [
      ["character", "same gain for all lines of a character"],
      ["file", "every file at the target loudness"],
      ["off", "off"],
    ],
  ],
  same_ids: [
    "Duplicate ids",
    [
      ["ask", "ask"],
      ["suffix", "add numbers to duplicates (_2, _3)"],
    ],
  ],
};
/** @type {Record<string, [string, string]>} */
const NUMBERS = {
  target_lufs: ["Target loudness", "LUFS"],
  ceiling_dbtp: ["Peak ceiling", "dBTP"],
  head_ms: ["Silence at start", "ms"],
  tail_ms: ["Silence at end", "ms"],
  fade_in_ms: ["Fade in", "ms"],
  fade_out_ms: ["Fade out", "ms"],
};
/** @type {Record<string, [string, string]>} */
const TEXTS = {
  template: [
    "File names",
    "{character}, {id}, {take:02} (two digits), {scene}, {emotion}. A slash (/) makes a folder.",
  ],
  usage_rights: ["Usage rights", "Saved in every file."],
};
/** @type {Record<string, string>} */
const SWITCHES = {
  sheet_names: "Use the names in the sheet’s File name column",
  plain_names: "Use only letters, digits, _ and - in names",
  metadata: "Write metadata into wav files: text, character, rights",
  directions: "Keep stage directions such as [shouting] in subtitles and tables",
};
/** @type {Record<string, [string, Record<string, string>]>} */
const SETS = {
  sidecars: [
    "Sidecar files",
    { srt: "Subtitles", timings: "Word timings", visemes: "Visemes", rhubarb: "Rhubarb lip sync" },
  ],
  handoffs: ["Import files for", { wwise: "Wwise", fmod: "FMOD", unreal: "Unreal", unity: "Unity" }],
};

/** @param {Preset} preset @param {Preset} chosen  the settings that differ from the preset */
export function deliveryFields(preset, chosen) {
  const values = { ...preset, ...chosen };
  const [choices, numbers, texts] = [choicesOf(values), numbersOf(values), textsOf(values)];
  const [switches, sets] = [switchesOf(values), setsOf(values)];
  const every = [...choices, ...numbers, ...texts, ...switches, ...sets];
  const [ids, usual] = [choices.slice(-1), choices.slice(0, -1)];
  const rare = [...ids, ...numbers.slice(2), ...texts, ...switches];
  const isOther = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    JSON.stringify(value) !== JSON.stringify(preset[name]);
  const grid = (/** @type {Choice[]} */ some) => h("div.delivery-grid", {}, ...some.map(({ element }) => element));
  const rest = h(
    "details",
    { open: rare.some(({ name }) => isOther(name, values[name])) },
    h("summary", {}, icon("down"), "Silence, fades, names and ids"),
    grid([...ids, ...numbers.slice(2)]),
    ...[...texts, ...switches].map(({ element }) => element),
  );
  return {
    elements: [grid([...usual, ...numbers.slice(0, 2)]), ...sets.map(({ element }) => element), rest],
    /** Return the settings that differ from the preset, including settings without a field. */
    chosen: () => {
      const now = { ...chosen, ...Object.fromEntries(every.map(({ name, read }) => [name, read()])) };
      return Object.fromEntries(Object.entries(now).filter(([name, value]) => isOther(name, value)));
    },
  };
}

/** @param {Preset} preset @returns {Choice[]} */
function choicesOf(preset) {
  return Object.entries(CHOICES).map(([name, [label, usual]]) => {
    const now = preset[name];
    const options = usual.some(([value]) => value === now) ? usual : [...usual, [now, String(now)]];
    const select = h(
      "select",
      {},
      ...options.map(([value, words]) => h("option", { value, selected: value === preset[name] }, words)),
    );
    const read = () => options[select.selectedIndex]?.[0] ?? preset[name];
    return { name, read, element: field(label, select) };
  });
}

/** @param {Preset} preset @returns {Choice[]} */
function numbersOf(preset) {
  return Object.entries(NUMBERS).map(([name, [label, unit]]) => {
    const input = h("input", { type: "number", step: "any", value: preset[name], required: true });
    return { name, read: () => Number(input.value), element: field(`${label}, ${unit}`, input) };
  });
}

/** @param {Preset} preset @returns {Choice[]} */
function textsOf(preset) {
  return Object.entries(TEXTS).map(([name, [label, hint]]) => {
    const input = h("input", { type: "text", value: preset[name], spellcheck: "false" });
    return { name, read: () => input.value, element: field(label, input, hint) };
  });
}

/** @param {Preset} preset @returns {Choice[]} */
function switchesOf(preset) {
  return Object.entries(SWITCHES).map(([name, words]) => {
    const input = h("input", { type: "checkbox", checked: preset[name] });
    return { name, read: () => input.checked, element: h("label.check", {}, input, words) };
  });
}

/** @param {Preset} preset @returns {Choice[]} */
function setsOf(preset) {
  return Object.entries(SETS).map(([name, [label, members]]) => {
    const inputs = Object.entries(members).map(([value, words]) => {
      const input = h("input", { type: "checkbox", checked: preset[name].includes(value) });
      return { value, input, element: h("label.check", {}, input, words) };
    });
    const read = () => inputs.filter(({ input }) => input.checked).map(({ value }) => value);
    return {
      name,
      read,
      element: h("fieldset.delivery-set", {}, h("legend", {}, label), ...inputs.map(({ element }) => element)),
    };
  });
}
