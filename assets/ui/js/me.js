/** Whether whoever sits here owns the studio: champions, stores and engines are the owner's, speaking is everyone's. */
import { changed } from "./bus.js";
import { get } from "./server.js";

export const me = {
  owner: false,
  login: "", // "basic" where an owner can log in, "none" where nobody can; empty until the studio has told
};

let asked = null;

/** Ask the studio. What is the owner's alone carries `data-owners` and shows once it says yes. */
export function loadMe() {
  return (asked = ask());
}

/** Resolves once the studio has told, or could not. */
export function known() {
  return (asked ?? loadMe()).catch(() => {});
}

async function ask() {
  Object.assign(me, await get("/studio/me"));
  document.body.classList.toggle("owner", me.owner);
  changed("me");
}
