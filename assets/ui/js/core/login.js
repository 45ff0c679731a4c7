/** Login as the owner, and error messages that offer the login. */
import { access, accessKnown, loadAccess } from "./access.js";
import { field, openDialog } from "./dialog.js";
import { h } from "./dom.js";
import { STATE } from "./events.js";
import { post, reason, refusedWith } from "./server.js";
import { toast } from "./toast.js";

const LOGIN = { action: "Log in", onaction: openLogin, stays: true, until: STATE.access };

export function openLogin() {
  const user = h("input", { name: "user", autocomplete: "username", required: true, spellcheck: "false" });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const button = h("button.primary", {}, "Log in");
  const form = h("form.login", {}, field("User", user), field("Password", password), button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    dialog.showError("");
    try {
      await post("/studio/login", { user: user.value, password: password.value });
      await loadAccess();
      dialog.close();
      toast("Logged in as the owner.");
    } catch (error) {
      dialog.showError(reason(error));
      password.select();
    }
    button.disabled = false;
  });
  const dialog = openDialog({ title: "Log in as owner", look: "narrow", body: [form] });
  user.focus();
}

export async function logOut() {
  await attempt(async () => {
    await post("/studio/logout");
    await loadAccess();
    toast("Logged out.");
  });
}

/**
 * Run an action and return its result. An error is shown as a message; an error 401 offers the login.
 * @template T
 * @param {() => T | Promise<T>} act
 * @returns {Promise<T | undefined>}
 */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined; // the user cancelled the action
    toast(reason(error), { failed: true, ...(refusedWith(error, 401) && LOGIN) });
    return undefined;
  }
}

/** Return true if the user is the owner. Otherwise show a message that only the owner may do this. */
export async function ownerOnly() {
  await accessKnown();
  if (!access.owner && access.login === "basic") toast("Only the owner can do this. Log in as the owner.", LOGIN);
  else if (!access.owner)
    toast("Only the owner can do this, and this studio has no login. Ask the operator to set STUDIO_LOGIN.");
  return access.owner;
}
