/** When a piece of work has ended: what is told, and what can be done beside putting it away. */
import { on } from "./bus.js";
import { announce } from "./dom.js";
import { importOtherwise } from "./imports.js";
import { CAME, dismiss, isArchive } from "./jobs.js";
import { toast } from "./toast.js";
import { weightsOnTrial } from "./weights.js";
import { DONE, download } from "./work.js";

/** What has come where it should is told once and put away; what it left behind, to take or to judge, stays. */
on("job-done", (job) => {
  if (!CAME.includes(job.kind)) return announce(DONE[job.kind]?.(job) ?? "");
  toast(DONE[job.kind](job));
  dismiss(job);
});

/** Buttons for the line of a job. */
export function waysOn(job) {
  if (isArchive(job)) return [download(job.result)];
  if (job.kind === "attach" && job.state === "done") return weightsOnTrial(job);
  if (job.kind === "import" && job.state === "failed") return importOtherwise(job);
  return [];
}
