/**
 * Files dropped on the page: archives become champions, audio becomes the voice, sheets become scripts. The rest of the
 * page accepts drops too, because the browser would open the file.
 */
import { importArchive } from "../champions/import.js";
import { ARCHIVE } from "../champions/library.js";
import { attempt } from "../core/login.js";
import { page } from "../core/pages.js";
import { fetched } from "../core/server.js";
import { bringClip } from "../references/clips.js";

const PLACES = ["voice-panel", "page-champions", "page-script"]; // elements that show the drop target, if visible

/** @typedef {"dragenter" | "dragover" | "dragleave" | "drop"} DragName */

export function acceptDrops() {
  /** @param {DragName} name @param {(event: DragEvent) => boolean} inside @param {(files: File[]) => void} act */
  const listen = (name, inside, act = () => {}) =>
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return; // text dragged into a field
      event.preventDefault();
      for (const id of PLACES) document.getElementById(id)?.classList.toggle("dropping", inside(event));
      act([...event.dataTransfer.files]);
    });
  const isInside = () => true;
  // A drop reaches only an element that accepted "dragenter". Every element accepts it, because one may appear under a
  // still pointer.
  listen("dragenter", isInside);
  listen("dragover", isInside);
  listen("dragleave", ({ relatedTarget }) => relatedTarget !== null);
  listen(
    "drop",
    () => false,
    (files) => files.forEach(drop),
  );
}

/** @param {File} file */
function drop(file) {
  if (page() === "script" && !ARCHIVE.test(file.name)) dropSheet(file);
  else if (page() === "champions" || ARCHIVE.test(file.name)) importArchive(file);
  else bringClip(file);
}

/** @param {File} file */
async function dropSheet(file) {
  const imports = await attempt(() => fetched(import("../script/imports.js")));
  imports?.importSheet(file);
}
