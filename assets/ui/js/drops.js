/** Files dropped on the page: archives become champions, sound becomes the voice. Beside it, browsers would open them. */
import { takeIn } from "./clips.js";
import { importArchive } from "./imports.js";
import { ARCHIVE } from "./library.js";
import { page } from "./pages.js";

const PLACES = ["voice-panel", "page-champions"]; // each shows it where it is on screen

export function acceptDrops() {
  const hear = (name, inside, then = () => {}) =>
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return; // words dragged into a field
      event.preventDefault();
      for (const id of PLACES) document.getElementById(id)?.classList.toggle("dropping", inside(event));
      then([...event.dataTransfer.files]);
    });
  // A drop reaches only an element that was entered: also one put where another lay when the pointer last moved.
  for (const name of ["dragenter", "dragover"]) hear(name, () => true);
  hear("dragleave", ({ relatedTarget }) => relatedTarget !== null);
  hear(
    "drop",
    () => false,
    (files) => files.forEach(drop),
  );
}

function drop(file) {
  if (page() === "champions" || ARCHIVE.test(file.name)) importArchive(file);
  else takeIn(file);
}
