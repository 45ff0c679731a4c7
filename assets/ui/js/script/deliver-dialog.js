/** The selects as files: choices, where they go, progress, and what came of it. */
import { field, openDialog } from "../core/dialog.js";
import { announce, h, icon } from "../core/dom.js";
import { plural, size } from "../core/format.js";
import { get, patch, post, reason } from "../core/server.js";
import { deliveryFields } from "./delivery-fields.js";
import { DeliveryRun } from "./delivery-run.js";
import { desk, projectPath, ROOT } from "./desk.js";
import { saved } from "./outbox.js";

/** @import { Delivery, Result } from "./delivery-run.js" */
/** @typedef {import("../core/dialog.js").Dialog} Dialog */
/** @typedef {Record<string, any>} Preset */

const FORM = "deliver-form";
const SHOWN = 12; // flags
/** @type {Record<string, string>} */
const TITLES = {
  game: "Game, 48 kHz, 24 bit",
  "game-44": "Game, 44.1 kHz, 16 bit",
  "review-mp3": "Review, mp3",
  "review-ogg": "Review, ogg",
};

/** What is remembered arrives in the order in which it was chosen. @type {Promise<unknown>} */
let kept = Promise.resolve();

export async function openDeliver() {
  const { sheet } = desk;
  if (!sheet) return;
  const selects = [...desk.lines.values()].filter(
    ({ deleted, takes }) => !deleted && takes.some(({ mark }) => mark === "select"),
  );
  const form = h("form.deliver-form", { id: FORM });
  const words = `Deliver ${plural(selects.length, "file")}`;
  const go = h("button.primary", { form: FORM, disabled: true }, words);
  const dialog = openDialog({ title: `Deliver ${sheet.name}`, look: "wide", body: [form], actions: [go] });
  if (!selects.length)
    return form.append(
      h("p.hint", {}, "Nothing is selected yet. Mark a take of each line with S; only those are delivered."),
    );
  try {
    const [presets, stores] = await Promise.all([get(`${ROOT}/delivery/presets`), get("/studio/stores")]);
    hearSubmit({ form, go, words, dialog }, fill(form, presets, stores));
    go.disabled = false;
  } catch (error) {
    dialog.showError(reason(error));
  }
}

/** What can be chosen, as it was last; returns what is ordered. @param {HTMLFormElement} form @param {Preset[]} presets @param {Store[]} stores */
function fill(form, presets, stores) {
  const last = desk.project?.delivery ?? { preset: "", choices: {}, to: "" };
  const preset = h("select", {}, ...presets.map(({ name }) => h("option", { value: name }, TITLES[name] ?? name)));
  if (presets.some(({ name }) => name === last.preset)) preset.value = last.preset;
  const to = goal(stores, last.to);
  const holder = h("div.delivery-fields");
  const other = h("span");
  const back = h("button.link", { type: "button" }, "Back to the preset");
  const note = h("p.hint.delivery-other", {}, other, back);
  /** @type {ReturnType<typeof deliveryFields>} */
  let fields;
  const draw = (/** @type {Record<string, unknown>} */ chosen) => {
    fields = deliveryFields(presets.find(({ name }) => name === preset.value) ?? presets[0], chosen);
    holder.replaceChildren(...fields.elements);
  };
  const ordered = () => ({ preset: preset.value, choices: fields.chosen(), to: to.select.value });
  const tell = () => {
    const count = Object.keys(fields.chosen()).length;
    note.hidden = !count;
    other.textContent = `${plural(count, "choice")} other than the preset’s`;
  };
  const changed = () => {
    tell();
    remember(ordered());
  };
  preset.addEventListener("change", () => draw({}));
  form.addEventListener("change", changed);
  back.addEventListener("click", () => {
    draw({});
    changed();
    preset.focus();
  });
  draw(last.preset === preset.value ? last.choices : {});
  tell();
  form.append(h("div.delivery-grid.delivery-goal", {}, field("Preset", preset), to.element), note, holder);
  return ordered;
}

/** Offer this again the next time. What cannot be delivered is not kept, and is refused once it is to be. @param {Project["delivery"]} delivery */
function remember(delivery) {
  if (!desk.project) return;
  const path = projectPath();
  desk.project = { ...desk.project, delivery };
  kept = kept.then(() => patch(path, { delivery })).catch(() => {});
}

/** Where the files go. @param {Store[]} stores @param {string} last */
function goal(stores, last) {
  const options = stores.map(({ name, title, deliveries }) =>
    h(
      "option",
      { value: name, disabled: !deliveries },
      deliveries ? `${name} · ${title}` : `${name} · holds voices only`,
    ),
  );
  const select = h("select", {}, h("option", { value: "" }, "This computer, as a zip"), ...options);
  const note = h("p.hint");
  const tell = () => {
    const store = stores.find(({ name }) => name === select.value);
    note.textContent = store ? `As a zip in deliveries, in ${store.where}` : "";
  };
  select.addEventListener("change", tell);
  if (stores.some(({ name, deliveries }) => deliveries && name === last)) select.value = last;
  tell();
  return { select, element: field("To", select, note) };
}

/**
 * @param {{form: HTMLFormElement, go: HTMLButtonElement, words: string, dialog: Dialog}} page
 * @param {() => Record<string, unknown>} ordered
 */
function hearSubmit({ form, go, words, dialog }, ordered) {
  const run = new DeliveryRun();
  form.append(run.element);
  /** What was made and not sent. @type {{id: string, order: string} | null} */
  let failed = null;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    dialog.showError("");
    try {
      const order = { sheet: desk.sheet?.id, ...ordered() };
      const again = failed?.order === JSON.stringify(order) && `/deliveries/${failed.id}/resume`;
      await saved();
      const done = await run.follow(await post(projectPath(again || "/deliver"), again ? {} : order));
      failed = done.state === "failed" && done.resumable ? { id: done.id, order: JSON.stringify(order) } : null;
      if (done.result) {
        dialog.show(...outcome(done, done.result));
        go.parentElement?.remove();
      } else dialog.showError(done.error || "The delivery was stopped; begin it again.");
    } catch (error) {
      dialog.showError(reason(error));
    }
    go.disabled = false;
    go.textContent = failed ? "Try again" : words;
  });
}

/** What was made, what somebody should look at, and where it is. @param {Delivery} delivery @param {Result} result */
function outcome({ to }, { file, name, bytes, where, report }) {
  const flagged = /** @type {{file: string, flags: string[]}[]} */ (report.flagged);
  const flags = [
    ...report.flags,
    ...report.characters.flatMap((/** @type {{flags: string[]}} */ one) => one.flags),
    ...flagged.flatMap((one) => one.flags.map((flag) => `${one.file}: ${flag}`)),
  ];
  const files = plural(report.files, "file");
  const lead = to ? `${files} of ${desk.sheet?.name} are in ${to}.` : `${files} of ${desk.sheet?.name} are ready.`;
  announce(lead);
  const more =
    flags.length > SHOWN ? [h("li", {}, `and ${flags.length - SHOWN} more; the manifest lists them all`)] : [];
  const looks = flags.slice(0, SHOWN).map((flag) => h("li", {}, icon("warn"), h("span", {}, flag)));
  return [
    h("p.lead", {}, lead),
    to && h("p", {}, h("code.delivery-where", {}, where)),
    h(
      "p",
      {},
      h(
        to ? "a.quiet.button" : "a.button",
        { href: file, download: name },
        icon("download"),
        `Download ${name}, ${size(bytes)}`,
      ),
    ),
    flags.length > 0 && h("h3", {}, "To look at"),
    h("ul.delivery-flags", {}, ...looks, ...more),
  ].filter((one) => typeof one === "object");
}
