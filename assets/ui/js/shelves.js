/** The stores this studio knows, as both dialogs about them show them: which one, and how to have one. */
import { h, icon } from "./dom.js";

const KINDS = { folder: "folder", s3: "S3", hub: "Hugging Face Hub" };
const KEY = "studio-store";

/** One button for each store, of which one is pressed. @param {(name: string) => void} chosen */
export function storeChoice(stores, chosen) {
  const note = h("p.hint.store-where");
  const press = (name) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === name));
    const { where } = stores.find((one) => one.name === name);
    note.textContent = where;
    remember(name);
    chosen(name);
  };
  const buttons = stores.map(({ name, kind }) =>
    h(
      "button.quiet.store",
      { type: "button", value: name, onclick: () => press(name) },
      icon("store"),
      name,
      h("span.hint", {}, KINDS[kind] ?? kind),
    ),
  );
  const element = h("div.store-choice", { role: "group", "aria-label": "Store" }, ...buttons, note);
  return { element, begin: () => press(stores.some(({ name }) => name === recalled()) ? recalled() : stores[0].name) };
}

export function noStores() {
  return h(
    "div.empty",
    {},
    h("p.lead", {}, "No store is set up yet."),
    h(
      "p",
      {},
      "A store is a place archives go to and come from: a folder, an S3 bucket, a repository on the Hugging Face Hub.",
    ),
    h("p", {}, "Name them in STUDIO_STORES and start the studio anew, for example:"),
    h("code", {}, "STUDIO_STORES=shelf=folder:/srv/champions,bucket=s3://voices/champions"),
  );
}

function recalled() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch {
    // the first one then, next time
  }
}
