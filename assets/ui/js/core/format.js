/** Formats numbers and states for people. */
const LANGUAGES = new Intl.DisplayNames(["en"], { type: "language" });

const ENGINE_STATES = {
  unloaded: "not loaded",
  loading: "loading",
  warming: "warming up",
  ready: "ready",
  failed: "failed",
};

/** Format the state of an engine: "ready", "compiling 45 %". @param {EngineStatus} status */
export function engineState({ state, progress, message }) {
  const words = state === "warming" && message.startsWith("compiling") ? "compiling" : ENGINE_STATES[state];
  return state === "loading" || state === "warming" ? `${words} ${percent(progress)}` : words;
}

/** Format a duration: 3.94 -> "3.9 s"; 83 -> "1 min 23 s". @param {number} value */
export function seconds(value) {
  if (value < 9.95) return `${value.toFixed(1)} s`;
  if (value < 59.5) return `${Math.round(value)} s`;
  return `${Math.floor(Math.round(value) / 60)} min ${Math.round(value) % 60} s`;
}

/**
 * Round a guess more coarsely the longer it is: 3.2 -> "about 4 s"; 37 -> "about 40 s"; 100 -> "about 2 min".
 * @param {number} value
 */
export function about(value) {
  if (value >= 90) return `about ${Math.round(value / 60)} min`;
  return `about ${value > 10 ? 5 * Math.ceil(value / 5) : Math.max(1, Math.ceil(value))} s`;
}

/** Format a duration; below 1 s with two decimals: 0.043 -> "0.04 s". @param {number | null | undefined} value */
export function fine(value) {
  if (value === null || value === undefined) return "–";
  return value < 1 ? `${value.toFixed(2)} s` : seconds(value);
}

/** Format a playback position: 83.42 -> "1:23.4". @param {number} value */
export function clock(value) {
  const tenths = Math.round(10 * value); // so that 59.96 s become 1:00.0
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}

/** Format the limits of a setting: "1 to 64". @param {Limits} limits */
export function between({ least, most }) {
  return `${least} to ${most}`;
}

/**
 * Format a setting: "top-p 0.8". An empty setting is the checkpoint's default.
 * @param {string} name @param {unknown} value
 */
export function setting(name, value) {
  const shown = name === "design" && value ? designWords(String(value)) : value;
  return `${name.replace(/_p$/, "-p").replaceAll("_", " ")} ${shown ?? "default"}`;
}

/** Format the description of a designed voice: "female, very low, moderate". @param {string} design */
export function designWords(design) {
  return design.replaceAll(" ", ", ").replaceAll("_", " ");
}

/** @param {number} value */
export function bytes(value) {
  if (value >= 1e10) return `${(value / 1e9).toFixed(0)} GB`;
  if (value >= 1e9) return `${(value / 1e9).toFixed(1)} GB`;
  return `${Math.round(value / 1e6)} MB`;
}

/** Format a file size: 1_234_000 -> "1.2 MB". @param {number} value */
export function size(value) {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, value)) / 3));
  const shown = value / 1000 ** step;
  return `${shown.toFixed(step && shown < 9.95 ? 1 : 0)} ${["bytes", "KB", "MB", "GB"][step]}`;
}

/** Format a time in the reader's language: "3 Nov 2026, 14:02". @param {string} iso */
export function moment(iso) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

/** @param {number} fraction */
export function percent(fraction) {
  return `${Math.round(100 * fraction)} %`;
}

/** @param {number} count @param {string} one @param {string} many */
export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** @param {number} count */
export function ordinal(count) {
  const teens = count % 100 > 10 && count % 100 < 14;
  return `${count}${teens ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th")}`;
}

/**
 * Format a place in the queue: "Next in queue", "2nd in queue, about 6 s". Rank 1 starts next.
 * @param {number} rank @param {number | null} eta_s
 */
export function rankWords(rank, eta_s) {
  const place = rank <= 1 ? "Next in queue" : `${ordinal(rank)} in queue`;
  return eta_s ? `${place}, ${about(eta_s)}` : place;
}

/** Return a pause as a tag of the script. @param {number} duration_s */
export function pauseTag(duration_s) {
  return `[pause:${duration_s}s]`;
}

/**
 * Make a sentence: the first letter upper case, and a full stop at the end. The server's messages start in lower case.
 * @param {string} text
 */
export function sentence(text) {
  return ended(titled(String(text).trim()));
}

/** Add a full stop, unless the text ends with a punctuation mark, also inside a quotation. @param {string} text */
export function ended(text) {
  return /[.!?…]["”’»')]*$/.test(text) ? text : `${text}.`;
}

/** Return the English name of a language; the tag if the browser refuses the tag. @param {string} tag */
export function languageName(tag) {
  try {
    return LANGUAGES.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Capitalise the first letter: "amber" -> "Amber". @param {string} name */
export function titled(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
