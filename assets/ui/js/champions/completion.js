/** Messages when a job on a champion ends, and the buttons in its row. */
import { on } from "../core/bus.js";
import { announce } from "../core/dom.js";
import { EVENT } from "../core/events.js";
import { toast } from "../core/toast.js";
import { dismiss, isArchive, isTransfer } from "../jobs/jobs.js";
import { DONE, download } from "../jobs/list.js";
import { importOptions } from "./import.js";
import { weightsOptions } from "./weights.js";

/**
 * A finished transfer is reported and its row removed. The row of an archive or of attached weights stays for download
 * or review.
 */
on(EVENT.jobDone, (job) => {
  if (!isTransfer(job)) return announce(DONE[job.kind](job));
  toast(DONE[job.kind](job));
  return dismiss(job);
});

/** Return the buttons for the row of a job. @param {Job} job */
export function optionsOf(job) {
  if (isArchive(job) && job.result) return [download(job.result)];
  if (job.kind === "attach" && job.state === "done") return weightsOptions(job);
  if (job.kind === "import" && job.state === "failed") return importOptions(job);
  return [];
}
