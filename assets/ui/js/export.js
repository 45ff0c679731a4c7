/** Takes as files: one, or many in a zip. */
import { h, icon, iconButton } from "./dom.js";
import { menu } from "./menu.js";
import { state } from "./state.js";
import { plural } from "./words.js";

const FORMATS = { wav: "WAV, 32-bit float", flac: "FLAC, lossless", mp3: "MP3, small" };

export function downloadMenu(take) {
  const link = ([format, name]) =>
    h("a", { href: `/studio/takes/${take.id}/audio.${format}?download=1`, download: "" }, name);
  return menu(iconButton("download", "Download"), () => Object.entries(FORMATS).map(link));
}

/** Zips of the starred takes, or of all. */
export function exportMenu() {
  const button = h("button.quiet.small", { type: "button" }, "Export", icon("down"));
  return menu(button, () => {
    const starred = state.takes.filter((take) => take.starred);
    const groups = [
      [starred, "starred take"],
      [state.takes, "take"],
    ].filter(([takes]) => takes.length);
    return groups.flatMap(([takes, noun]) => Object.keys(FORMATS).map((format) => zip(takes, noun, format)));
  });
}

function zip(takes, noun, format) {
  const ids = takes.map((take) => take.id).join(",");
  return h(
    "a",
    { href: `/studio/takes.zip?ids=${ids}&format=${format}`, download: "takes.zip" },
    `${plural(takes.length, noun)} as ${format.toUpperCase()}, zip`,
  );
}
