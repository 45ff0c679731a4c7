/** Fields for the settings of an engine, folded into one line. */
import { h, icon } from "./dom.js";
import { between } from "./format.js";

/**
 * Return a field for each setting that the engine uses. An empty field means the default.
 * @param {EngineStatus} engine @param {Record<string, number>} values
 * @param {(next: Record<string, number>) => void} change  gets all values after a change
 */
export function settingFields(engine, values, change) {
  const inputs = Object.entries(engine.settings).map(([name, limits]) => {
    const { least, most, help } = limits;
    const input = h("input", {
      type: "number",
      step: "any",
      min: least,
      max: most,
      placeholder: "default",
      value: values[name] ?? null,
      title: help,
    });
    input.addEventListener("change", () => {
      const { [name]: _, ...others } = values;
      change(input.value === "" ? others : { ...others, [name]: Number(input.value) });
    });
    return h("label", {}, h("span", {}, limits.name || name), input, h("span.hint", {}, between(limits)));
  });
  const count = Object.keys(values).length;
  return h(
    "details.cast-settings",
    { open: count > 0 },
    h("summary", {}, icon("down"), count ? `Settings (${count})` : "Settings"),
    h("div", {}, ...inputs),
  );
}
