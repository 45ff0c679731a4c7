/** Opens a session as a listener, in a new tab. */
import { at } from "../core/address.js";
import { attempt } from "../core/login.js";
import { post } from "../core/server.js";
import { toast } from "../core/toast.js";
import { pathOf } from "./sessions.js";

const DAYS = 1; // validity of the owner's own link

/**
 * Make a link. Only this answer contains its secret. Throws Refusal.
 * @param {string} id  of the session @param {string} note @param {number | null} days
 * @returns {Promise<{id: string, link: string}>}
 */
export async function newLink(id, note, days) {
  /** @type {Invitation} */
  const { id: invitation, path = "" } = await post(pathOf(id, "/invitations"), { note, days });
  const secret = path.slice(path.lastIndexOf("/") + 1);
  return { id: invitation, link: new URL(at(`/listen/${secret}`), location.href).href };
}

/** Open the session in a new tab. @param {ListeningSession} session */
export async function listenNow({ id }) {
  const tab = open("", "_blank"); // at once, because browsers block tabs that open later
  const made = await attempt(() => newLink(id, "Listen now", DAYS));
  if (!made) return tab?.close();
  if (!tab) return toast("The browser blocked the new tab. Allow new tabs for this page, then press Listen now again.");
  tab.opener = null;
  tab.location.replace(made.link);
  return undefined;
}
