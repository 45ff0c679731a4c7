/** The dialog for a delivery: questions, preset and settings, file names, destination, progress and result. */
import { field, openDialog } from "../core/dialog.js";
import { announce, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { get, patch, post, reason } from "../core/server.js";
import { deliveryFields } from "./delivery-fields.js";
import { outcome } from "./delivery-outcome.js";
import { DeliveryPresets } from "./delivery-presets.js";
import { NamesPreview } from "./delivery-preview.js";
import { DeliveryQuestions } from "./delivery-questions.js";
import { runOf } from "./delivery-run.js";
import { saved } from "./outbox.js";
import { look, projectPath, ROOT, scriptState } from "./state.js";

/** @import { DeliveryRun } from "./delivery-run.js" */
/** @typedef {import("../core/dialog.js").Dialog} Dialog */
/** @typedef {Record<string, any>} Preset */

const FORM = "deliver-form";

/** Saves the settings one request after another, in the order of the changes. @type {Promise<unknown>} */
let kept = Promise.resolve();

export async function openDeliver() {
  const { sheet } = scriptState;
  if (!sheet) return;
  const selects = [...scriptState.lines.values()].filter(
    ({ deleted, takes }) => !deleted && takes.some(({ mark }) => mark === "select"),
  );
  const form = h("form.deliver-form", { id: FORM });
  const go = h("button.primary", { form: FORM, disabled: true }, goWords(selects.length));
  const dialog = openDialog({ title: `Deliver ${sheet.name}`, look: "wide", body: [form], actions: [go] });
  if (!selects.length && !runOf(sheet.id).end)
    return form.append(
      h("p.hint", {}, "No take is selected yet. Choose a take for each line and press S. Then deliver."),
    );
  try {
    const [presets, stores] = await Promise.all([get(`${ROOT}/delivery/presets`), get("/studio/stores")]);
    const order = new DeliveryOrder(form, go, presets, stores);
    listenForSubmit({ form, go, dialog }, order);
    go.disabled = false;
    await order.names.refresh();
  } catch (error) {
    dialog.showError(reason(error));
  }
}

/** @param {number} files */
function goWords(files) {
  return `Deliver ${plural(files, "file")}`;
}

/** The settings of a delivery. They start with those of the last delivery. */
class DeliveryOrder {
  /** @param {HTMLFormElement} form @param {HTMLButtonElement} go @param {Preset[]} presets @param {Store[]} stores */
  constructor(form, go, presets, stores) {
    const last = scriptState.project?.delivery ?? { preset: "", choices: {}, to: "" };
    this.go = go;
    this.to = goal(stores, last.to);
    this.holder = h("div.delivery-fields");
    this.other = h("span");
    const back = h("button.link", { type: "button", onclick: () => this.#reset() }, "Reset to preset");
    this.note = h("p.hint.delivery-other", {}, this.other, back);
    this.presets = new DeliveryPresets(presets, last, { onpick: () => this.#pick(), chosen: () => this.chosen });
    const page = { onchange: () => this.#answer(), number: () => this.#number() };
    this.questions = new DeliveryQuestions(scriptState.sheet?.id ?? "", page);
    this.names = new NamesPreview(
      () => ({ ...this.ordered, stale: this.questions.rule }),
      () => this.questions.files,
      (preview) => {
        this.questions.show(preview, this.numbered);
        this.tell();
      },
    );
    this.fields = deliveryFields(this.presets.base, this.presets.start.choices);
    this.#draw(this.presets.start.choices);
    form.addEventListener("change", ({ target }) => {
      if (/** @type {HTMLInputElement} */ (target).name !== "stale") this.#changed();
    });
    const preset = field("Preset", this.presets.select);
    const goals = h("div.delivery-grid.delivery-goal", {}, preset, this.to.element);
    form.append(this.questions.element, goals, this.presets.tools, this.note, this.names.element, this.holder);
  }

  /** Return the preset and the settings that differ from it. */
  get chosen() {
    return { preset: this.presets.base.name, choices: this.fields.chosen() };
  }

  get ordered() {
    return { sheet: scriptState.sheet?.id, ...this.chosen, to: this.to.select.value };
  }

  /** Return true if duplicate ids get numbers. */
  get numbered() {
    return { ...this.presets.base, ...this.fields.chosen() }.same_ids === "suffix";
  }

  /** @param {Record<string, unknown>} choices */
  #draw(choices) {
    this.fields = deliveryFields(this.presets.base, choices);
    this.holder.replaceChildren(...this.fields.elements);
    this.tell();
  }

  /** Use the picked preset. The answer about duplicate ids is kept, because it is not part of a preset. */
  #pick() {
    this.#draw({ ...this.presets.start.choices, ...(this.numbered && { same_ids: "suffix" }) });
    this.#changed();
  }

  #reset() {
    this.#draw(this.presets.own);
    this.#changed();
    this.presets.select.focus();
  }

  #number() {
    this.#draw({ ...this.fields.chosen(), same_ids: "suffix" });
    this.#changed();
    this.go.focus();
  }

  /** Apply the user's answer about stale selects, on which the file names depend. */
  #answer() {
    this.tell();
    this.names.soon();
  }

  #changed() {
    const { sheet, ...delivery } = this.ordered;
    remember(delivery);
    this.tell();
    this.names.soon();
  }

  /** Show how many settings differ from the preset, and the number of files. */
  tell() {
    const now = this.fields.chosen();
    const own = this.presets.own;
    const names = new Set([...Object.keys(now), ...Object.keys(own)]);
    const count = [...names].filter((name) => JSON.stringify(now[name]) !== JSON.stringify(own[name])).length;
    this.note.hidden = !count;
    this.other.textContent = `${plural(count, "setting")} changed`;
    if (this.questions.preview) this.go.textContent = goWords(this.questions.files);
  }
}

/**
 * Save the settings for the next delivery. Invalid settings are not saved; the delivery itself reports them.
 * @param {Project["delivery"]} delivery
 */
function remember(delivery) {
  if (!scriptState.project) return;
  const path = projectPath();
  scriptState.project = { ...scriptState.project, delivery };
  kept = kept.then(() => patch(path, { delivery })).catch(() => {});
}

/** Return the field for the destination of the files. @param {Store[]} stores @param {string} last */
function goal(stores, last) {
  const options = stores.map(({ name, title, deliveries }) =>
    h(
      "option",
      { value: name, disabled: !deliveries },
      deliveries ? `${name} · ${title}` : `${name} · does not accept deliveries`,
    ),
  );
  const select = h("select", {}, h("option", { value: "" }, "This computer (ZIP)"), ...options);
  const note = h("p.hint");
  const tell = () => {
    const store = stores.find(({ name }) => name === select.value);
    note.textContent = store ? `Saved as a ZIP in the folder “deliveries” of ${store.where}` : "";
  };
  select.addEventListener("change", tell);
  if (stores.some(({ name, deliveries }) => deliveries && name === last)) select.value = last;
  tell();
  return { select, element: field("To", select, note) };
}

/** @param {{form: HTMLFormElement, go: HTMLButtonElement, dialog: Dialog}} page @param {DeliveryOrder} chosen */
function listenForSubmit({ form, go, dialog }, chosen) {
  const run = runOf(scriptState.sheet?.id ?? "");
  form.append(run.element);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = chosen.questions.ask(chosen.numbered);
    dialog.showError(question);
    if (question || run.running) return;
    const order = { ...chosen.ordered, stale: chosen.questions.rule };
    const same = run.failed?.order === JSON.stringify(order) && run.failed.id;
    const path = projectPath(same ? `/deliveries/${same}/resume` : "/deliver");
    run.order = JSON.stringify(order);
    chosen.questions.forget();
    run.begin(async () => {
      await Promise.all([saved(), kept]);
      return post(path, same ? {} : order);
    }, announce);
    attend(run, { form, go, dialog }, chosen);
  });
  if (run.end) attend(run, { form, go, dialog }, chosen);
}

/**
 * Show the result of a delivery, unless the dialog is closed before its end.
 * @param {DeliveryRun} run @param {{form: HTMLFormElement, go: HTMLButtonElement, dialog: Dialog}} page
 * @param {DeliveryOrder} chosen
 */
async function attend(run, { go, dialog }, chosen) {
  go.disabled = true;
  try {
    const done = await run.end;
    if (!dialog.element.isConnected || !done) return;
    run.failed = done.state === "failed" && done.resumable ? { id: done.id, order: run.order } : null;
    if (done.result) {
      const { body, download } = outcome(done, done.result);
      dialog.show(...body);
      go.replaceWith(download);
      download.focus();
    } else dialog.showError(done.error || "The delivery was cancelled. Deliver again.");
  } catch (error) {
    if (!dialog.element.isConnected) return;
    dialog.showError(reason(error));
  }
  run.seen();
  go.disabled = false;
  await Promise.all([look(), chosen.names.refresh()]).catch(() => {}); // a render may have changed the selects
  if (run.failed) go.textContent = "Try again";
}
