/** Messages about a disk that is almost full. */
import { size } from "./format.js";
import { state } from "./state.js";
import { toast } from "./toast.js";
import { record } from "./undo.js";

/** Return a warning while there is little free space; empty otherwise. */
export function diskWarning() {
  const disk = state.telemetry?.disk;
  if (!disk?.low) return "";
  const left = `Only ${size(disk.free_bytes)} left on the disk.`;
  if (!disk.short) return `${left} Delete unused takes and clips.`;
  return `${left} New takes may not be saved. Free some space. You cannot undo deletions while the disk is this full.`;
}

/**
 * Show a message about a deletion, with Undo unless the disk is so full that the items were purged.
 * @param {string} message @param {import("./undo.js").Step} step  the deletion
 */
export function toastDeletion(message, step) {
  if (state.telemetry?.disk?.short) toast(`${message} Undo is not possible because the disk is almost full.`);
  else record(step, message);
}
