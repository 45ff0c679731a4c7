/**
 * Files dropped on the page: archives become champions, sound becomes the voice, sheets become scripts. Beside it, browsers would open them.
 */
import { importArchive } from "../champions/import.js";
import { ARCHIVE } from "../champions/library.js";
import { attempt } from "../core/login.js";
import { page } from "../core/pages.js";
import { fetched } from "../core/server.js";
import { bringClip } from "../references/clips.js";

const PLACES = ["voice-panel", "page-champions", "page-script"]; // each shows it where it is on screen

/** @typedef {"dragenter" | "dragover" | "dragleave" | "drop"} DragName */

export function acceptDrops() {
  /** @param {DragName} name @param {(event: DragEvent) => boolean} inside @param {(files: File[]) => void} act */
  const hear = (name, inside, act = () => {}) =>
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return; // words dragged into a field
      event.preventDefault();
      for (const id of PLACES) document.getElementById(id)?.classList.toggle("dropping", inside(event));
      act([...event.dataTransfer.files]);
    });
  const isInside = () => true;
  // A drop reaches only an element that was entered: also one put where another lay when the pointer last moved.
  hear("dragenter", isInside);
  hear("dragover", isInside);
  hear("dragleave", ({ relatedTarget }) => relatedTarget !== null);
  hear(
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
