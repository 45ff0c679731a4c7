/** The choice of a store, for the Push and Pull dialogs. */
import { h, icon } from "../core/dom.js";
import { load, save } from "../core/storage.js";

const KEY = "studio-store";

/**
 * Return one button per store, one of which is pressed.
 * @param {Store[]} stores @param {(name: string) => void} chosen
 */
export function storeChoice(stores, chosen) {
  const note = h("p.hint.store-where");
  const press = (/** @type {Store} */ { name, where }) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === name));
    note.textContent = where;
    save(KEY, name);
    chosen(name);
  };
  const buttons = stores.map((store) => {
    const kind = h("span.hint", {}, store.title);
    const attributes = { type: "button", value: store.name, onclick: () => press(store) };
    return h("button.quiet.store", attributes, icon("store"), store.name, kind);
  });
  const element = h("div.store-choice", { role: "group", "aria-label": "Store" }, ...buttons, note);
  return { element, begin: () => press(stores.find(({ name }) => name === load(KEY)) ?? stores[0]) };
}

export function noStores() {
  return h(
    "div.empty",
    {},
    h("p.lead", {}, "No store is set up."),
    h("p", {}, "A store is a folder, S3 bucket or Hugging Face Hub repository for archives."),
    h("p", {}, "Set STUDIO_STORES and restart the studio, for example:"),
    h("code", {}, "STUDIO_STORES=shelf=folder:/srv/champions,bucket=s3://voices/champions"),
  );
}
