/** The editor for a new session, a copy, or a session without votes. Unsaved input is kept as a draft. */
import { openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { draftNote, dropDraft, loadDraft, saveDraft } from "../core/drafts.js";
import { attempt } from "../core/login.js";
import { Refusal, reason } from "../core/server.js";
import { state } from "../core/state.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { toast } from "../core/toast.js";
import { loadVoices, voices } from "../script/voices.js";
import { SessionForm } from "./form.js";
import { blankDraft, bodyOf, draftOf } from "./plan.js";
import { create, edit } from "./sessions.js";

const FORM = "session-form";
const NAME_MAX = 80;

/**
 * @typedef {object} Task
 * @property {string} title @property {string} verb
 * @property {string} about  key of the draft
 * @property {() => SessionDraft} initial  called when voices and engines are known
 * @property {(body: object) => Promise<ListeningSession>} send
 * @property {(id: string) => unknown} open  shows the saved session
 */

/** Open the editor for a new session, or for a copy of a plan. @param {Task["open"]} open @param {SessionPlan | null} plan */
export function openNew(open, plan = null) {
  const engines = () => (state.telemetry?.engines ?? []).map(({ name }) => name);
  const copy = (/** @type {SessionPlan} */ { name, ...rest }) =>
    draftOf({ ...rest, name: `Copy of ${name}`.slice(0, NAME_MAX) });
  return openForm({
    title: plan ? "Duplicate session" : "New session",
    verb: "Create session",
    about: plan ? `listening session: copy of ${plan.name}` : "listening session",
    initial: () => (plan ? copy(plan) : blankDraft(voices()[0]?.id ?? "", engines())),
    send: create,
    open,
  });
}

/** @param {ListeningSession} session @param {Task["open"]} open */
export function openEditor({ id, plan }, open) {
  return openForm({
    title: "Edit session",
    verb: "Save session",
    about: `listening session ${id}`,
    initial: () => draftOf(plan),
    send: (body) => edit(id, body),
    open,
  });
}

/** @param {Task} task */
async function openForm(task) {
  await Promise.all([attempt(loadVoices), state.telemetry ?? refreshTelemetry()]);
  const { title, verb, about, initial } = task;
  const before = initial();
  const holder = h("div.session-editor-body");
  const send = h("button.primary", { form: FORM }, verb);
  const onclose = () => loadDraft(about) && toast("Session not saved. Your changes are kept as a draft.");
  const dialog = openDialog({ title, look: "wide.session-editor", body: [holder], actions: [send], onclose });
  const draw = (/** @type {SessionDraft} */ draft, /** @type {boolean} */ isRestored) => {
    const form = new SessionForm(FORM, draft, () => keep(about, draft, before));
    const startOver = () => {
      dropDraft(about);
      draw(initial(), false);
    };
    form.element.addEventListener("submit", (event) => {
      event.preventDefault();
      submit(task, form, dialog, send);
    });
    holder.replaceChildren(...(isRestored ? [draftNote(startOver)] : []), form.element);
  };
  const kept = loadDraft(about);
  draw({ ...initial(), ...kept }, kept !== null);
}

/** Keep the input as a draft, unless nothing changed. @param {string} about @param {SessionDraft} draft @param {SessionDraft} before */
function keep(about, draft, before) {
  if (JSON.stringify(draft) === JSON.stringify(before)) dropDraft(about);
  else saveDraft(about, draft);
}

/**
 * @param {Task} task @param {SessionForm} form
 * @param {import("../core/dialog.js").Dialog} dialog @param {HTMLButtonElement} button
 */
async function submit({ send, about, open }, form, dialog, button) {
  button.disabled = true;
  try {
    const session = await send(bodyOf(form.draft));
    dropDraft(about);
    dialog.close();
    open(session.id);
  } catch (error) {
    const param = error instanceof Refusal ? error.body.error?.param : null;
    if (!form.showError(reason(error), param)) dialog.showError(reason(error));
  }
  button.disabled = false;
}
