/** What a running render does: it generates takes, or only checks them. */

/** Return what a render does now. @param {SheetRender} render */
export function activity(render) {
  if (render.state === "paused") return "Paused";
  return isOnlyChecking(render) ? "Checking" : "Rendering";
}

/** Return true if all takes are generated, and only their checks are pending. @param {SheetRender} render */
export function isOnlyChecking({ done, unmade, checking, total }) {
  return checking > 0 && done + unmade + checking >= total;
}
