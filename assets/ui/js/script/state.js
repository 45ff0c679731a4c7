/** The open project and sheet: the studio's state combined with unsaved changes of this page. */
import { access, accessKnown } from "../core/access.js";
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { page } from "../core/pages.js";
import { poll } from "../core/polling.js";
import { refreshRenders } from "../core/renders.js";
import { get, reason, refusedWith } from "../core/server.js";
import { loadJson, saveJson } from "../core/storage.js";
import { sleep } from "../core/timing.js";
import { added, applied } from "./changes.js";
import { pendingOf } from "./pending.js";

export const ROOT = "/studio/projects";
const KEY = "studio-script"; // storage key of the last open project and sheet
const EVERY_MS = 1000;
const POLL_MAX_MS = 2000; // a deletion waits no longer for the running poll, because its answer may be lost

export const scriptState = {
  /** @type {Project[] | null} */ projects: null, // null until loaded
  /** @type {Project | null} */ project: null,
  /** @type {Sheet | null} */ sheet: null, // without its lines, which are in `lines`
  /** All lines by key, in the sheet's order; unsaved changes are included. @type {Map<string, ScriptLine>} */ lines:
    new Map(),
  /** @type {SheetRender | null} */ render: null,
  trouble: "", // why no script can be shown
};

/** The revision of each line. @type {Map<string, number>} */
const revisions = new Map();
let opened = 0; // number of calls of openProject
let shownDigest = ""; // digest of the projects, sheets, cast and lexicon that are shown
let asked = 0; // revision up to which all changes of the sheet are loaded
let pauses = 0; // number of running calls of withPollingPaused
/** The running or last poll. @type {Promise<unknown>} */
let lastPoll = Promise.resolve();

/** Return a route of a project. @param {string} rest */
export function projectPath(rest = "", project = scriptState.project?.id) {
  return `${ROOT}/${project}${rest}`;
}

/** @param {string} rest */
export function sheetPath(rest = "") {
  return projectPath(`/sheets/${scriptState.sheet?.id}${rest}`);
}

/** Return the roles of the open sheet's columns. @returns {Roles} */
export function roles() {
  return scriptState.sheet?.roles ?? {};
}

/** Load the project and sheet that were open last. */
export async function loadLastOpen() {
  await accessKnown();
  if (access.owner) await load();
  changed(STATE.script);
}

async function load() {
  const kept = loadJson(KEY, { project: "", sheet: "" });
  try {
    const projects = await get(ROOT);
    const known = projects.find((/** @type {Project} */ { id }) => id === (scriptState.project?.id ?? kept.project));
    const project = known ?? projects[0];
    const sheet = scriptState.sheet && project?.id === scriptState.project?.id ? scriptState.sheet.id : kept.sheet;
    await openProject(project?.id ?? "", sheet, projects);
    scriptState.trouble = "";
  } catch (error) {
    scriptState.trouble = reason(error);
  }
}

/**
 * Show a project and its sheet as soon as both are loaded; until then the previous ones stay. A later call replaces
 * this one. Throws Refusal.
 * @param {string} id  empty: none
 * @param {string} sheet  if it does not exist, the first one
 * @param {Project[]} projects
 */
export async function openProject(id, sheet = "", projects = scriptState.projects ?? []) {
  opened += 1;
  const mine = opened;
  const project = id ? await get(`${ROOT}/${id}`) : null;
  const sheets = /** @type {Project["sheets"]} */ (project?.sheets ?? []).map((one) => one.id);
  const wanted = sheets.includes(sheet) ? sheet : sheets[0];
  const isShown = wanted !== undefined && wanted === scriptState.sheet?.id;
  const told = wanted && !isShown ? await get(`${ROOT}/${id}/sheets/${wanted}`) : null;
  if (mine !== opened) return;
  scriptState.projects = projects;
  if (!isShown) {
    place(project);
    showSheet(told);
  }
  setProject(project);
  if (isShown) await look();
}

/** Show the state of the project that was loaded last. @param {Project | null} project */
export function setProject(project) {
  place(project);
  setRender(project?.render ?? null);
  changed(STATE.script);
}

/** Set the open project, and replace it in the list of projects. @param {Project | null} project */
function place(project) {
  scriptState.project = project;
  if (!scriptState.projects || !project) return;
  const others = scriptState.projects.filter(({ id }) => id !== project.id);
  const at = scriptState.projects.findIndex(({ id }) => id === project.id);
  scriptState.projects = others.toSpliced(at < 0 ? others.length : at, 0, project);
}

/** Open a sheet of the open project. Throws Refusal. @param {string} id */
export function openSheet(id) {
  return openProject(scriptState.project?.id ?? "", id);
}

/** Show a complete sheet from the studio; null shows none. @param {Sheet | null} sheet */
export function showSheet(sheet) {
  scriptState.sheet = sheet;
  scriptState.lines = new Map();
  revisions.clear();
  asked = sheet?.revision ?? 0;
  if (sheet) receive(sheet, false);
  shownDigest = "";
  saveJson(KEY, { project: scriptState.project?.id ?? "", sheet: sheet?.id ?? "" });
  changed(STATE.script);
  changed(STATE.lines);
}

/**
 * Show lines from the studio, with unsent changes applied. An older answer never replaces a newer one.
 * @param {Sheet} told @param {boolean} tell
 */
export function receive(told, tell = true) {
  if (told.id !== undefined && told.id !== scriptState.sheet?.id) return;
  const pending = pendingOf(scriptState.sheet?.id ?? "");
  for (const line of told.lines) {
    if ((revisions.get(line.key) ?? 0) > told.revision) continue;
    revisions.set(line.key, told.revision);
    scriptState.lines.set(line.key, pending.reduce(applied, line));
  }
  for (const one of pending.flatMap(({ add = [] }) => add))
    if (!scriptState.lines.has(one.key)) scriptState.lines.set(one.key, pending.reduce(applied, added(one)));
  if (told.line_notes) attachNotes(told.line_notes);
  if (told.render !== undefined) setRender(told.render);
  if (tell && told.lines.length) changed(STATE.lines);
}

/**
 * Set the notes of all lines. An answer contains either all notes of the sheet or none.
 * @param {Record<string, LineNote[]>} notes
 */
function attachNotes(notes) {
  for (const [key, line] of scriptState.lines) {
    const now = notes[key] ?? [];
    if (JSON.stringify(now) !== JSON.stringify(line.notes ?? [])) scriptState.lines.set(key, { ...line, notes: now });
  }
}

/** Show a change before the studio has saved it. @param {SheetChange} change @param {Iterable<string>} keys */
export function showUnsaved(change, keys) {
  const fresh = new Map(change.add?.map((one) => [one.key, added(one)]));
  for (const key of keys) {
    const line = scriptState.lines.get(key) ?? fresh.get(key);
    if (line) scriptState.lines.set(key, applied(line, change));
  }
  changed(STATE.lines);
}

/** @param {SheetRender | null} render */
export function setRender(render) {
  const [before, now] = [scriptState.render?.state, render?.state];
  scriptState.render = render;
  changed(STATE.render);
  if (before !== now) refreshRenders();
}

/** Load the open sheet again, after the studio refused a change. */
export async function reload() {
  if (scriptState.sheet) showSheet(await get(sheetPath()));
}

/** Load what changed since the last call. */
export async function look() {
  const { sheet } = scriptState;
  if (!sheet) return;
  const told = await get(sheetPath(`?since=${asked}&cast=${sheet.cast ?? ""}`));
  if (scriptState.sheet?.id !== sheet.id) return;
  asked = Math.max(asked, told.revision);
  const other = JSON.stringify([told.roles, told.name, told.columns]);
  const drawn = other === JSON.stringify([scriptState.sheet.roles, scriptState.sheet.name, scriptState.sheet.columns]);
  scriptState.sheet = { ...scriptState.sheet, ...told, lines: [] };
  receive(told);
  if (!drawn) changed(STATE.script);
  const digest = told.project_digest ?? "";
  if (digest !== shownDigest) refreshProjects(digest).catch(() => {}); // the next poll tries again
}

/** Load projects, names of sheets, cast and lexicon again after a change in another tab. @param {string} digest */
async function refreshProjects(digest) {
  const open = scriptState.project?.id;
  const projects = await get(ROOT);
  if (open !== scriptState.project?.id) return;
  shownDigest = digest;
  scriptState.projects = projects;
  place(projects.find((/** @type {Project} */ { id }) => id === open) ?? scriptState.project);
  changed(STATE.script);
}

export function isRendering() {
  return scriptState.render?.state === "running" || scriptState.render?.state === "paused";
}

/** Return true if a take of the line is being generated. @param {string} key */
export function isBeingMade(key) {
  return scriptState.render?.state === "running" && scriptState.render.making.includes(key);
}

/** Load the changes of the open sheet. Open the last sheet if none is open, or if the open one was deleted. */
async function pollSheet() {
  if (!scriptState.sheet) return loadLastOpen();
  return look().catch(async (error) => {
    if (refusedWith(error, 404)) await loadLastOpen();
  });
}

/** Pause polling while `work` deletes the open sheet or its project. @param {() => Promise<void>} work */
export async function withPollingPaused(work) {
  pauses += 1;
  try {
    await Promise.race([lastPoll, sleep(POLL_MAX_MS)]);
    await work();
  } finally {
    pauses -= 1;
  }
}

const lookNow = poll({
  needed: () => page() === "script" && access.owner && !pauses,
  every: () => EVERY_MS,
  look: () => {
    lastPoll = pollSheet();
    return lastPoll;
  },
});

follow(STATE.renders, lookNow); // a take was generated, or a render began or ended
follow(STATE.page, () => page() === "script" && loadLastOpen());
follow(STATE.access, () => page() === "script" && access.owner && !scriptState.projects && loadLastOpen());
