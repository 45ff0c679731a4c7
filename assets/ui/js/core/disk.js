/** Messages about a disk that is almost full. */
import { size } from "./format.js";
import { state } from "./state.js";
import { toast } from "./toast.js";

/** Return a warning while there is little free space; empty otherwise. */
export function diskWarning() {
  const disk = state.telemetry?.disk;
  if (!disk?.low) return "";
  const left = `The studio's disk has only ${size(disk.free_bytes)} free.`;
  if (!disk.short) return `${left} Delete takes and clips that you do not need.`;
  return `${left} New takes may not be saved. Deleted takes cannot be restored.`;
}

/**
 * Show that something is deleted, with "Undo" unless it was purged because the disk is almost full.
 * @param {string} words @param {() => unknown} onaction
 */
export function toastDeletion(words, onaction) {
  if (state.telemetry?.disk?.short) toast(`${words} It cannot be restored, because the disk is almost full.`);
  else toast(words, { action: "Undo", onaction });
}
