/** Whether whoever sits here owns the studio: champions, stores and engines are the owner's, speaking is everyone's. */
import { emit } from "./bus.js";
import { get } from "./server.js";

export const me = {
  owner: false,
  login: "", // "basic" where an owner can log in, "none" where nobody can; empty until the studio has told
};

/** Ask the studio. What is the owner's alone carries `data-owners` and shows once it says yes. */
export async function loadMe() {
  Object.assign(me, await get("/studio/me"));
  document.body.classList.toggle("owner", me.owner);
  emit("me", me);
}
