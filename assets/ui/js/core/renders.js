/** The renders that run, for every page: a render goes on wherever the owner looks. */
import { access } from "./access.js";
import { changed, follow } from "./bus.js";
import { STATE } from "./events.js";
import { poll } from "./polling.js";
import { get, post } from "./server.js";

const EVERY_MS = 1000;
const LOST = 2; // answers missing in a row before nothing is known

/** @type {RunningRender[]} */
let known = [];
let [asked, believed, missed] = [0, 0, 0]; // questions, the last one whose answer is shown, answers missing in a row

/** Those that run or are paused. */
export function renders() {
  return known;
}

/** Look now. */
export async function refreshRenders() {
  if (!access.owner) return show([]);
  asked += 1;
  const question = asked;
  const told = await get("/studio/projects/renders").catch(() => null);
  if (question < believed) return undefined;
  believed = question;
  missed = told ? 0 : missed + 1;
  return told || missed >= LOST ? show(told ?? []) : undefined;
}

/** @param {RunningRender[]} told */
function show(told) {
  if (JSON.stringify(told) === JSON.stringify(known)) return;
  known = told;
  changed(STATE.renders);
}

/** @param {RunningRender} render @param {"stop"} verb */
export async function command({ project }, verb) {
  await post(`/studio/projects/${project}/render/${verb}`);
  await refreshRenders();
}

poll({
  needed: () => access.owner,
  every: () => EVERY_MS,
  look: refreshRenders,
});
follow(STATE.access, refreshRenders);
