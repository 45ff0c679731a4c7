/** The open project and sheet, as the studio tells them and with what is on its way to it. */
import { access, accessKnown } from "../core/access.js";
import { changed, follow } from "../core/bus.js";
import { STATE } from "../core/events.js";
import { page } from "../core/pages.js";
import { get, reason, refusedWith } from "../core/server.js";
import { loadJson, saveJson } from "../core/storage.js";
import { sleep } from "../core/timing.js";
import { added, applied } from "./changes.js";
import { pendingOf } from "./pending.js";

export const ROOT = "/studio/projects";
const KEY = "studio-script"; // which project and sheet were open last
const RUNNING_MS = 1000;
const RESTING_MS = 5000;

export const desk = {
  /** @type {Project[] | null} */ projects: null, // null until they were told
  /** @type {Project | null} */ project: null,
  /** @type {Sheet | null} */ sheet: null, // its lines are in `lines`
  /** In the sheet's order, with what was changed here. @type {Map<string, ScriptLine>} */ lines: new Map(),
  /** @type {SheetRender | null} */ render: null,
  trouble: "", // why there is nothing to show
  opening: false,
};

/** Of which revision a line is. @type {Map<string, number>} */
const revisions = new Map();
let asked = 0; // revision of the sheet up to which all is known
let watching = false;

/** Where a project of the studio is. @param {string} rest */
export function projectPath(rest = "", project = desk.project?.id) {
  return `${ROOT}/${project}${rest}`;
}

/** @param {string} rest */
export function sheetPath(rest = "") {
  return projectPath(`/sheets/${desk.sheet?.id}${rest}`);
}

/** Roles of the open sheet's columns. @returns {Roles} */
export function roles() {
  return desk.sheet?.roles ?? {};
}

/** Come to the page, or back to it: everything is as it was left. */
export async function arrive() {
  await accessKnown();
  if (access.owner) await load();
  changed(STATE.script);
}

async function load() {
  const kept = loadJson(KEY, { project: "", sheet: "" });
  try {
    desk.projects = await get(ROOT);
    desk.trouble = "";
    const project = desk.projects?.find(({ id }) => id === (desk.project?.id ?? kept.project)) ?? desk.projects?.[0];
    const sheet = desk.sheet && project?.id === desk.project?.id ? desk.sheet.id : kept.sheet;
    await openProject(project?.id ?? "", sheet);
  } catch (error) {
    desk.trouble = reason(error);
  }
}

/** Throws Refusal. @param {string} id  empty: none @param {string} sheet  the first where it is gone */
export async function openProject(id, sheet = "") {
  const project = id ? await get(`${ROOT}/${id}`) : null;
  setProject(project);
  const sheets = /** @type {Project["sheets"]} */ (project?.sheets ?? []).map((one) => one.id);
  await openSheet(sheets.includes(sheet) ? sheet : (sheets[0] ?? ""));
}

/** As it was told last. @param {Project | null} project */
export function setProject(project) {
  desk.project = project;
  if (desk.projects && project) {
    const others = desk.projects.filter(({ id }) => id !== project.id);
    const place = desk.projects.findIndex(({ id }) => id === project.id);
    desk.projects = others.toSpliced(place < 0 ? others.length : place, 0, project);
  }
  setRender(project?.render ?? null);
  changed(STATE.script);
}

/** Throws Refusal. @param {string} id  empty: none */
export async function openSheet(id) {
  if (id === desk.sheet?.id) return look();
  desk.opening = Boolean(id);
  if (desk.opening) changed(STATE.script);
  try {
    showSheet(id ? await get(projectPath(`/sheets/${id}`)) : null);
  } finally {
    desk.opening = false;
  }
  return undefined;
}

/** A sheet told whole. @param {Sheet | null} sheet */
export function showSheet(sheet) {
  desk.sheet = sheet;
  desk.lines = new Map();
  revisions.clear();
  asked = sheet?.revision ?? 0;
  if (sheet) receive(sheet, false);
  saveJson(KEY, { project: desk.project?.id ?? "", sheet: sheet?.id ?? "" });
  changed(STATE.script);
  changed(STATE.lines);
  watch();
}

/**
 * Lines as the studio has them, with what it has not taken yet. What it told before counts less than what it told since.
 * @param {Sheet} told @param {boolean} tell
 */
export function receive(told, tell = true) {
  if (told.id !== undefined && told.id !== desk.sheet?.id) return;
  const pending = pendingOf(desk.sheet?.id ?? "");
  for (const line of told.lines) {
    if ((revisions.get(line.key) ?? 0) > told.revision) continue;
    revisions.set(line.key, told.revision);
    desk.lines.set(line.key, pending.reduce(applied, line));
  }
  for (const one of pending.flatMap(({ add = [] }) => add))
    if (!desk.lines.has(one.key)) desk.lines.set(one.key, pending.reduce(applied, added(one)));
  if (told.render !== undefined) setRender(told.render);
  if (tell && told.lines.length) changed(STATE.lines);
}

/** Show a change before the studio has it. @param {SheetChange} change @param {Iterable<string>} keys */
export function foresee(change, keys) {
  const fresh = new Map(change.add?.map((one) => [one.key, added(one)]));
  for (const key of keys) {
    const line = desk.lines.get(key) ?? fresh.get(key);
    if (line) desk.lines.set(key, applied(line, change));
  }
  changed(STATE.lines);
}

/** @param {SheetRender | null} render */
export function setRender(render) {
  desk.render = render;
  changed(STATE.render);
}

/** Everything of the open sheet anew: a change was refused. */
export async function reload() {
  if (desk.sheet) showSheet(await get(sheetPath()));
}

/** What changed since the last look. */
export async function look() {
  const { sheet } = desk;
  if (!sheet) return;
  const told = await get(sheetPath(`?since=${asked}&cast=${sheet.cast ?? ""}`));
  if (desk.sheet?.id !== sheet.id) return;
  asked = Math.max(asked, told.revision);
  const other = JSON.stringify([told.roles, told.name, told.columns]);
  const drawn = other === JSON.stringify([desk.sheet.roles, desk.sheet.name, desk.sheet.columns]);
  desk.sheet = { ...desk.sheet, ...told, lines: [] };
  receive(told);
  if (!drawn) changed(STATE.script);
}

export function isRendering() {
  return desk.render?.state === "running" || desk.render?.state === "paused";
}

async function watch() {
  if (watching) return;
  watching = true;
  while (desk.sheet && page() === "script") {
    await sleep(desk.render?.state === "running" ? RUNNING_MS : RESTING_MS);
    if (document.hidden || page() !== "script") continue;
    await look().catch(async (error) => {
      if (refusedWith(error, 404)) await load(); // somebody deleted it
    });
  }
  watching = false;
}

follow(STATE.page, () => page() === "script" && arrive());
follow(STATE.access, () => page() === "script" && access.owner && !desk.projects && arrive());
