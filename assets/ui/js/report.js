/** Below the transcript: what the studio thinks of the reference, with one click to mend it. */
import { on } from "./bus.js";
import { debounced, h, icon } from "./dom.js";
import * as fields from "./fields.js";
import { MENDS, mend, transcribe } from "./mending.js";
import { post } from "./server.js";
import { state } from "./state.js";

const SIGNS = { ok: "check", warn: "warn", fail: "fail" };
const SPOKEN = { ok: "fine", warn: "worth a look", fail: "not usable like this" };

let asked = 0; // the newest request; older answers are thrown away

export function mount(element) {
  const listen = h("button.quiet.transcribe", { type: "button", onclick: transcribe }, icon("words"), "Transcribe");
  const busy = h("p.busy", { role: "status", hidden: true });
  const problems = h("ul.problems", { "aria-label": "Worth mending" });
  const chips = h("ul.chips", { "aria-label": "Report on the reference" });
  element.append(h("div.report", {}, listen, busy, problems, chips));
  const look = debounced(300, () => examine(problems, chips));
  on("voice", look);
  on("field", (name) => name === "transcript" && look());
  on("clip-busy", (text) => {
    busy.hidden = !text;
    busy.textContent = text ? `${text}…` : "";
  });
}

async function examine(problems, chips) {
  const { voice } = state;
  if (!voice) return;
  const mine = ++asked;
  const { clip, start_s, end_s } = voice;
  try {
    const { checks } = await post(`/studio/clips/${clip.id}/report`, {
      start_s,
      end_s,
      transcript: fields.text("transcript"),
    });
    if (mine !== asked) return;
    problems.replaceChildren(...checks.filter((check) => check.state !== "ok").map(problem));
    chips.replaceChildren(...checks.filter((check) => check.state === "ok").map(chip));
  } catch (error) {
    if (mine === asked) problems.replaceChildren(h("li.problem.fail", {}, icon("fail"), h("p", {}, error.message)));
  }
}

function problem({ name, state, message, mend: cure }) {
  return h(
    `li.problem.${state}`,
    {},
    icon(SIGNS[state]),
    h("p", {}, h("span.sr-only", {}, `${name}, ${SPOKEN[state]}: `), message),
    cure && h("button.quiet.small", { type: "button", onclick: () => mend(cure) }, MENDS[cure].verb),
  );
}

function chip({ name, state, message }) {
  return h(`li.chip.${state}`, { title: message }, icon(SIGNS[state]), name, h("span.sr-only", {}, `: ${message}`));
}
