/** Brings changes to the studio one after another, again and again until it has them. */
import { changed, emit } from "../core/bus.js";
import { EVENT, STATE } from "../core/events.js";
import { plural } from "../core/format.js";
import { openLogin } from "../core/login.js";
import { patch, Refusal, reason, refusedWith } from "../core/server.js";
import { toast } from "../core/toast.js";
import { seen, touched } from "./changes.js";
import { desk, foresee, projectPath, receive, reload } from "./desk.js";
import { addPending, allPending, dropPending } from "./pending.js";

/** @import { Pending } from "./pending.js" */
/** @typedef {{project: string, sheet: string}} Place */

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;

/** @type {Promise<void> | null} */
let sending = null;
let failures = 0; // in a row
let timer = 0;
let dismissTrouble = () => {};
/** Whom to ask what becomes of a refused change. @type {WeakMap<Pending, () => void>} */
const amends = new WeakMap();

/** Show a change of a sheet where it is open, and send it. @param {SheetChange} change @param {Place} place @param {() => void} [amend]  offered where it is refused */
export function submit(change, place, amend) {
  /** @type {Pending} */
  const one = { ...place, change: place.sheet === desk.sheet?.id ? seen(change, desk.lines) : change };
  if (amend) amends.set(one, amend);
  addPending(one);
  if (place.sheet === desk.sheet?.id) foresee(change, touched(change));
  changed(STATE.unsaved);
  sendAll();
}

/** Send what waits, now. */
export function sendAll() {
  sending ??= sendEach().finally(() => {
    sending = null;
    changed(STATE.unsaved);
  });
  return sending;
}

async function sendEach() {
  clearTimeout(timer);
  while (allPending().length && (await sent(allPending()[0])));
}

/** Once the studio has every change: what is asked of it now is meant with them. Throws Refusal. */
export async function saved() {
  await sendAll();
  if (allPending().length) throw new Refusal("your last changes are not saved yet; try again in a moment");
}

/** Why changes wait; empty where none waits longer than the way takes. */
export function waitingWords() {
  const count = allPending().length;
  return failures && count ? `${plural(count, "change")} not saved yet. Trying again…` : "";
}

/** Whether the studio has taken or refused it, so that the next one can go. @param {Pending} one */
async function sent(one) {
  try {
    const told = await patch(projectPath(`/sheets/${one.sheet}`, one.project), one.change);
    failures = 0;
    dismissTrouble();
    dropPending(one);
    if (one.sheet === desk.sheet?.id) receive({ ...told, id: one.sheet });
    emit(EVENT.sheetSaved, { place: { project: one.project, sheet: one.sheet }, change: one.change, told });
    return true;
  } catch (error) {
    if (error instanceof Refusal && !error.retryable && !refusedWith(error, 401, 403)) return refused(one, error);
    wait(error);
    return false;
  }
}

/** @param {Pending} one @param {Refusal} error */
async function refused(one, error) {
  failures = 0;
  dropPending(one);
  const amend = amends.get(one);
  toast(reason(error), { failed: true, ...(amend && { action: "Edit again", onaction: amend }) });
  if (one.sheet === desk.sheet?.id) await reload().catch(() => {});
  return true;
}

/** @param {unknown} error */
function wait(error) {
  failures += 1;
  timer = setTimeout(sendAll, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)));
  if (failures > 1) return;
  const login = refusedWith(error, 401) && { action: "Log in", onaction: openLogin, until: STATE.access };
  dismissTrouble = toast(
    `Your changes are not saved yet. ${reason(error)} The page keeps your changes and tries again.`,
    {
      ...{ failed: true, ...login },
    },
  );
}

addEventListener("online", sendAll);
if (allPending().length) sendAll();
