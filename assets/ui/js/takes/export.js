/** Menus that download takes: one file, or many as a zip. */
import { h, icon, iconButton } from "../core/dom.js";
import { plural } from "../core/format.js";
import { menu } from "../core/menu.js";
import { targetTakes } from "./selection.js";

const FORMATS = { wav: "WAV, 32-bit float", flac: "FLAC, lossless", mp3: "MP3, small" };

/** @param {Take} take */
export function downloadMenu({ id }) {
  const link = (/** @type {string[]} */ [format, name]) =>
    h("a", { href: `/studio/takes/${id}/audio.${format}?download=1`, download: "" }, name);
  return menu(iconButton("download", "Download take"), () => Object.entries(FORMATS).map(link));
}

/** Return a menu that exports the ticked takes, or else all shown takes, and the starred ones among them. */
export function exportMenu() {
  const button = h("button.quiet.small", { type: "button" }, "Export takes", icon("down"));
  return menu(button, () => {
    const takes = targetTakes();
    const starred = takes.filter((take) => take.starred);
    return [...zips(starred, "starred take"), ...zips(takes, "take")];
  });
}

/** @param {Take[]} takes @param {string} noun */
function zips(takes, noun) {
  const ids = takes.map((take) => take.id).join(",");
  const link = (/** @type {string} */ format) => {
    const href = `/studio/takes.zip?ids=${ids}&format=${format}`;
    const words = `${plural(takes.length, noun)} as ${format.toUpperCase()}, zip`;
    return h("a", { href, download: "takes.zip" }, words);
  };
  return takes.length ? Object.keys(FORMATS).map(link) : [];
}
