/** Logging in as the studio's owner, and what a visitor is told who needs to. */
import { h } from "./dom.js";
import { known, loadMe, me } from "./me.js";
import { post } from "./server.js";
import { field, openSheet } from "./sheet.js";
import { toast } from "./toast.js";

export function openLogin() {
  const user = h("input", { name: "user", autocomplete: "username", required: true, spellcheck: "false" });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password", required: true });
  const button = h("button.primary", {}, "Log in");
  const form = h("form.login", {}, field("User", user), field("Password", password), button);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    sheet.say("");
    try {
      await post("/studio/login", { user: user.value, password: password.value });
      await loadMe();
      sheet.close();
      toast("You are logged in as the studio’s owner.");
    } catch (error) {
      sheet.say(error.message);
      password.select();
    }
    button.disabled = false;
  });
  const sheet = openSheet({ title: "Log in as the studio’s owner", look: "narrow", body: [form] });
  user.focus();
}

export async function logOut() {
  await attempt(async () => {
    await post("/studio/logout");
    await loadMe();
    toast("You are logged out.");
  });
}

/** Do something; what goes wrong is said, with the one action that helps. Resolves to what came of it. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined; // they left it themselves
    const locked = error.status === 401 && { action: "Log in", onaction: openLogin };
    toast(error.message, { failed: true, ...locked });
    return undefined;
  }
}

/** Whether the owner sits here; a visitor is told why not. */
export async function ownerOnly() {
  await known();
  if (!me.owner && me.login === "basic")
    toast("Champions belong to the studio’s owner; log in to keep one.", { action: "Log in", onaction: openLogin });
  else if (!me.owner) toast("Champions belong to the studio’s owner, who has set no login for visits from elsewhere.");
  return me.owner;
}
