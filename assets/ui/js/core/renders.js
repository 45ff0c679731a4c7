/** The running renders of all projects. Every page shows them. */
import { access } from "./access.js";
import { changed, follow } from "./bus.js";
import { STATE } from "./events.js";
import { poll } from "./polling.js";
import { get, post } from "./server.js";

const RUNNING_MS = 1000;
const RESTING_MS = 5000; // another tab may start a render
const LOST = 2; // number of missing answers in a row after which no render is shown

/** @type {RunningRender[]} */
let known = [];
// number of requests, number of the newest answered request, missing answers in a row
let [asked, believed, missed] = [0, 0, 0];

/** Return the renders that run or are paused. */
export function renders() {
  return known;
}

/** Load the renders now. */
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
  every: () => (known.length ? RUNNING_MS : RESTING_MS),
  look: refreshRenders,
});
follow(STATE.access, refreshRenders);
