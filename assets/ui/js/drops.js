/** Files dropped on the page: archives become champions, sound becomes the voice. Beside it, browsers would open them. */
import { takeIn } from "./clips.js";
import { importArchive } from "./imports.js";
import { ARCHIVE } from "./library.js";

const PLACES = ["voice-panel", "page-champions"]; // each shows it where it is on screen

export function acceptDrops() {
  const hear = (name, inside, then = () => {}) =>
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return; // words dragged into a field
      event.preventDefault();
      for (const id of PLACES) document.getElementById(id)?.classList.toggle("dropping", inside);
      then([...event.dataTransfer.files]);
    });
  hear("dragover", true);
  hear("dragleave", false);
  hear("drop", false, (files) => files.forEach(drop));
}

function drop(file) {
  if (document.body.dataset.page === "champions" || ARCHIVE.test(file.name)) importArchive(file);
  else takeIn(file);
}
