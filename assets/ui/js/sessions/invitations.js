/** The dialog for invitations: make a link, copy it, and withdraw links. */
import { actionButton, field, openDialog } from "../core/dialog.js";
import { announce, h } from "../core/dom.js";
import { keepForm } from "../core/drafts.js";
import { moment, titled } from "../core/format.js";
import { get, reason, remove } from "../core/server.js";
import { newLink } from "./listening-tab.js";
import { pathOf } from "./sessions.js";

const FORM = "invitation-form";
const STATES = { valid: "valid", expired: "expired", revoked: "withdrawn" };
const DAYS_MAX = 3650;
const ONCE = "The studio shows this link only once. Copy it now.";

/** @param {ListeningSession} session */
export function openInvitations({ id, plan }) {
  const note = h("input", { type: "text", maxlength: 80, spellcheck: "false" });
  const days = h("input", { type: "number", min: 1, max: DAYS_MAX, step: "any", value: 30 });
  const made = h("div.new-link", { "aria-live": "polite" });
  const list = h("ul.invitations");
  const form = h(
    "form.invite-form",
    { id: FORM },
    field("Note", note, "Only you see this note. Example: the recipient of the link."),
    field("Valid for (days)", days, "Leave empty for a link that does not expire."),
  );
  const drop = keepForm(`invitation ${id}`, form);
  const send = h("button.primary", { form: FORM }, "Make link");
  const attempt = async (/** @type {() => Promise<unknown>} */ act) => {
    try {
      await act();
      const invitations = await get(pathOf(id, "/invitations"));
      hideWithdrawn(made, invitations);
      list.replaceChildren(...rows(id, invitations, attempt));
    } catch (error) {
      dialog.showError(reason(error));
    }
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true; // a double click must not make two links
    await attempt(async () => {
      showLink(made, await newLink(id, note.value.trim(), days.value === "" ? null : Number(days.value)));
      note.value = "";
      drop();
    });
    send.disabled = false;
    if (document.activeElement === document.body) send.focus(); // a disabled button loses the focus
  });
  const dialog = openDialog({ title: `Invite listeners to ${plan.name}`, body: [form, made, list], actions: [send] });
  attempt(async () => {});
}

/** @param {HTMLElement} place @param {{id: string, link: string}} invitation */
function showLink(place, { id, link }) {
  const input = h("input", { type: "text", readonly: true, value: link });
  const copied = h("p.hint", {}, ONCE);
  const copy = actionButton("quiet", "Copy link", async () => {
    try {
      await navigator.clipboard.writeText(link);
      copied.textContent = "Link copied.";
    } catch {
      copied.textContent = "The link is selected. Copy it with Ctrl+C.";
    }
    input.select();
    announce(copied.textContent);
  });
  place.dataset.id = id;
  place.replaceChildren(field("Link for listeners", input, copied), copy);
  input.select();
}

/** Remove the shown link if it is not valid any more. @param {HTMLElement} place @param {Invitation[]} invitations */
function hideWithdrawn(place, invitations) {
  const { id } = place.dataset;
  if (!invitations.some((one) => one.id === id && one.state === "valid")) place.replaceChildren();
}

/**
 * @param {string} id @param {Invitation[]} invitations  oldest first
 * @param {(act: () => Promise<unknown>) => Promise<void>} attempt
 */
function rows(id, invitations, attempt) {
  return invitations.toReversed().map(({ id: invitation, note, state, created_at, expires_at }) => {
    const withdraw = () => attempt(() => remove(pathOf(id, `/invitations/${invitation}`)));
    const name = note || "Link without a note";
    const button = actionButton("quiet.small", "Withdraw", withdraw);
    button.setAttribute("aria-label", `Withdraw ${name}`);
    const until = expires_at === null ? "no expiry date" : `until ${time(expires_at)}`;
    return h(
      "li",
      {},
      h(
        "span",
        {},
        h("b", {}, name),
        h("span.hint", {}, `${titled(STATES[state])}, made ${time(created_at)}, ${until}`),
      ),
      state === "valid" && button,
    );
  });
}

/** @param {number} at_s  seconds since 1970 */
function time(at_s) {
  return moment(new Date(1000 * at_s).toISOString());
}
