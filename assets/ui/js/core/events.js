/** All states and events that modules publish on bus.js. */

/** States have a current value. Each comment says what it is and which file owns it. */
export const STATE = /** @type {const} */ ({
  access: "access", // whether the user is the owner; access.js
  activity: "activity", // the running operation on a clip; references/activity.js
  blind: "blind", // whether a blind trial is open; pages.js
  champion: "champion", // the chosen champion, which speaks instead of a clip; state.js
  champions: "champions", // the champion library; state.js
  clips: "clips", // samples, own clips, and whether the studio can transcribe; state.js
  delivery: "delivery", // progress of the delivery of a sheet; script/delivery-run.js
  engine: "engine", // the chosen engine and its status; speak/engine.js
  filter: "filter", // which takes are shown; takes/filter.js
  jobs: "jobs", // the jobs of the studio; jobs/jobs.js
  language: "language", // the language of the text; state.js
  lines: "lines", // the lines of the open sheet; script/state.js
  page: "page", // the page that is shown; pages.js
  pair: "pair", // the two sides of a trial; compare/pair.js
  player: "player", // which sound plays; audio/player.js
  playlist: "playlist", // which item of a playlist plays; audio/playlist.js
  playhead: "playhead", // the playback position; audio/player.js
  render: "render", // the render of the open project; script/state.js
  renders: "renders", // the renders of all projects; renders.js
  script: "script", // the projects and the open sheet; script/state.js
  selected: "selected", // the selected takes; state.js, takes/selection.js
  sessions: "sessions", // the listening sessions; sessions/sessions.js
  synthesis: "synthesis", // the take that is being generated; state.js
  takes: "takes", // the list of takes; state.js
  telemetry: "telemetry", // the status of the studio; state.js
  theme: "theme", // light or dark; theme.js
  tray: "tray", // the takes in the comparison tray; compare/tray.js
  undo: "undo", // the steps to undo and redo; undo.js
  unsaved: "unsaved", // the changes that the studio has not saved yet; script/outbox.js
  view: "view", // the shown lines, the cursor and the selected lines; script/view.js
  voice: "voice", // the chosen clip and its part; state.js
});

/** Events happen once. */
export const EVENT = /** @type {const} */ ({
  championChanged: "champion-changed",
  chooseClip: "choose-clip", // the user wants to add a clip
  discarded: "discarded", // takes were deleted
  field: "field", // a field changed, by the user or by the page
  heard: "heard", // the transcript of a part of a clip is ready
  jobDone: "job-done",
  pageLeaves: "page-leaves",
  pairHeard: "pair-heard", // a side was played long enough for a vote
  sheetSaved: "sheet-saved", // the studio saved a change of a sheet
  reveal: "reveal", // a field must become visible
  showLine: "show-line", // the line of the cursor must become visible
  soundEnded: "sound-ended", // a sound was played to its end
  storeChanged: "store-changed",
});

/** @typedef {typeof STATE[keyof typeof STATE]} StateName */
/** @typedef {typeof EVENT[keyof typeof EVENT]} EventName */
/**
 * The data of each event.
 * @typedef {{
 *   "champion-changed": string, // id of the champion that has a newer version
 *   "choose-clip": null,
 *   "discarded": string[], // ids of takes
 *   "field": import("./fields.js").FieldName,
 *   "heard": null,
 *   "job-done": Job,
 *   "page-leaves": null,
 *   "pair-heard": null,
 *   "sheet-saved": SavedChange,
 *   "reveal": import("./fields.js").FieldName,
 *   "show-line": {focus: boolean}, // whether its cell gets the focus
 *   "sound-ended": string, // the key of the track
 *   "store-changed": null,
 * }} Payloads
 */
