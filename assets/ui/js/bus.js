/**
 * What modules tell each other. A state is so until it changes: its owner keeps it and says here that it changed, and
 * whoever follows it looks at once and at every change, so that nobody comes too late. A happening is over once it was told.
 */
const STATES = new Set([
  "busy", // what is done to a clip; busy.js
  "champion", // who speaks instead of the voice; state.js
  "champions", // state.js
  "clips", // samples, one's own, and what can transcribe; state.js
  "compare", // which takes lie in the tray; compare.js
  "engine", // what is known of the chosen one; engine.js
  "jobs", // jobs.js
  "me", // me.js
  "page", // which one shows; pages.js
  "pair", // the two sides of a trial; pair.js
  "performance", // state.js
  "player", // what sounds; player.js
  "playhead", // where; player.js
  "selected", // which take; state.js
  "takes", // state.js
  "telemetry", // state.js
  "theme", // theme.js
  "voice", // state.js
]);
const HAPPENINGS = new Set([
  "champion-changed", // there is a newer version: its id
  "choose-clip", // somebody wants to bring one
  "discarded", // a take: its id
  "field", // somebody typed, or the page wrote: the field's name
  "job-done", // the job
  "page-leaves",
  "pair-heard", // a side was heard long enough
  "reveal", // a field is to be seen: its name
  "store-changed",
]);
const target = new EventTarget(); // where one hearer fails, the others still hear

/** Look now and at every change. @param {string|string[]} names  of states */
export function follow(names, look) {
  for (const name of [names].flat()) target.addEventListener(known(STATES, name), () => look());
  look();
}

/** For a state's owner. */
export function changed(name) {
  target.dispatchEvent(new CustomEvent(known(STATES, name)));
}

export function on(name, hear) {
  target.addEventListener(known(HAPPENINGS, name), (event) => hear(event.detail));
}

export function emit(name, detail = null) {
  target.dispatchEvent(new CustomEvent(known(HAPPENINGS, name), { detail }));
}

function known(names, name) {
  if (!names.has(name)) throw new Error(`nobody tells "${name}" this way; see bus.js`);
  return name;
}
