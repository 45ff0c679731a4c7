/** What a disk that is almost full means for a visitor. */
import { size } from "./format.js";
import { state } from "./state.js";
import { toast } from "./toast.js";

/** A warning while there is little space; empty otherwise. */
export function diskWarning() {
  const disk = state.telemetry?.disk;
  if (!disk?.low) return "";
  const left = `Only ${size(disk.free_bytes)} are free on the studio's disk.`;
  if (!disk.short) return `${left} Delete takes and clips that nobody needs.`;
  return `${left} New takes may not be saved. Deleted takes cannot be brought back.`;
}

/**
 * Say that something is deleted, with a way back unless a short disk has dropped it already.
 * @param {string} words @param {() => unknown} onaction
 */
export function toastDeletion(words, onaction) {
  if (state.telemetry?.disk?.short) toast(`${words} It cannot be brought back, because the disk is almost full.`);
  else toast(words, { action: "Undo", onaction });
}
