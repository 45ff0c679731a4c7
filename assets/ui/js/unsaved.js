/** What was typed into a form and not saved, kept in this browser by what it is about, until it is saved or given up. */
const KEY = "studio-unsaved-1";
const KEPT = 20;

export function unsaved(about) {
  return read().find(([name]) => name === about)?.[1] ?? null;
}

export function remember(about, facts) {
  write([[about, facts], ...others(about)].slice(0, KEPT));
}

export function forget(about) {
  write(others(about));
}

function others(about) {
  return read().filter(([name]) => name !== about);
}

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return []; // unreadable or forbidden: begin anew
  }
}

function write(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // full or forbidden: the form works without
  }
}
