/** Everything that the modules tell each other over bus.js. */

/** What is so until it changes, and where it is kept. */
export const STATE = /** @type {const} */ ({
  access: "access", // whether the owner sits here; access.js
  activity: "activity", // what is being done to a clip; references/activity.js
  champion: "champion", // who speaks instead of the voice; state.js
  champions: "champions", // state.js
  clips: "clips", // samples, one's own, and what can transcribe; state.js
  delivery: "delivery", // how far the delivery of a sheet is; script/delivery-run.js
  engine: "engine", // what is known of the chosen one; speak/engine.js
  filter: "filter", // which takes show; takes/filter.js
  jobs: "jobs", // jobs/jobs.js
  lines: "lines", // of the open sheet; script/desk.js
  page: "page", // which one shows; pages.js
  pair: "pair", // the two sides of a trial; compare/pair.js
  player: "player", // what sounds; audio/player.js
  playlist: "playlist", // which of several sounds plays; audio/playlist.js
  playhead: "playhead", // where; audio/player.js
  render: "render", // of the open project; script/desk.js
  renders: "renders", // of all projects; renders.js
  script: "script", // which projects there are, which sheet is open; script/desk.js
  selected: "selected", // which take, and which together; state.js, takes/selection.js
  synthesis: "synthesis", // the take that is being made; state.js
  takes: "takes", // state.js
  telemetry: "telemetry", // state.js
  theme: "theme", // theme.js
  tray: "tray", // which takes lie side by side; compare/tray.js
  undo: "undo", // what can be undone and redone; undo.js
  unsaved: "unsaved", // what the studio has not taken yet; script/outbox.js
  view: "view", // which lines show, where the cursor is, what is chosen; script/view.js
  voice: "voice", // state.js
});

/** What happens once. */
export const EVENT = /** @type {const} */ ({
  championChanged: "champion-changed",
  chooseClip: "choose-clip", // somebody wants to bring one
  discarded: "discarded", // takes
  field: "field", // somebody typed, or the page wrote
  heard: "heard", // the recogniser has listened to a part of a clip
  jobDone: "job-done",
  pageLeaves: "page-leaves",
  pairHeard: "pair-heard", // a side was heard long enough
  sheetSaved: "sheet-saved", // the studio has a change of it
  reveal: "reveal", // a field is to be seen
  soundEnded: "sound-ended", // it was played to its end
  storeChanged: "store-changed",
});

/** @typedef {typeof STATE[keyof typeof STATE]} StateName */
/** @typedef {typeof EVENT[keyof typeof EVENT]} EventName */
/**
 * What comes with each event.
 * @typedef {{
 *   "champion-changed": string, // the id of the one that has a newer version
 *   "choose-clip": null,
 *   "discarded": string[], // ids of takes
 *   "field": import("./fields.js").FieldName,
 *   "heard": null,
 *   "job-done": Job,
 *   "page-leaves": null,
 *   "pair-heard": null,
 *   "sheet-saved": SavedChange,
 *   "reveal": import("./fields.js").FieldName,
 *   "sound-ended": string, // the key of what was heard
 *   "store-changed": null,
 * }} Payloads
 */
