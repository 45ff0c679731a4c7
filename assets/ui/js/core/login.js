/** Logging in as the studio's owner, and what a visitor is told who needs to. */
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
 * Do something; what goes wrong is said, with the one action that helps. Resolves to what came of it.
 * @template T
 * @param {() => T | Promise<T>} act
 * @returns {Promise<T | undefined>}
 */
export async function attempt(act) {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return undefined; // they left it themselves
    toast(reason(error), { failed: true, ...(refusedWith(error, 401) && LOGIN) });
    return undefined;
  }
}

/** Whether the owner sits here; a visitor is told why not. */
export async function ownerOnly() {
  await accessKnown();
  if (!access.owner && access.login === "basic")
    toast("Only the owner can change champions. Log in as the owner.", LOGIN);
  else if (!access.owner)
    toast("Only the owner can change champions, and this studio has no login. Ask the owner to set STUDIO_LOGIN.");
  return access.owner;
}
