/** Who speaks each character, and in which emotion somebody else does. */
import { actionButton, openDialog } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { patch, reason } from "../core/server.js";
import { charactersOf } from "./casting.js";
import { castingRow } from "./casting-row.js";
import { desk, look, projectPath, roles, setProject } from "./desk.js";
import { loadVoices, voices } from "./voices.js";

/** @import { Character } from "./casting.js" */

const HINT = "Several voices of one character each speak its lines, so that you can choose among them.";

export async function openCast() {
  const { project } = desk;
  if (!project) return;
  /** @type {Cast} */
  const cast = structuredClone(project.cast);
  const list = h("ul.cast-list");
  const draw = () => {
    const focused = [...list.querySelectorAll("button, select, input")].indexOf(
      /** @type {Element} */ (document.activeElement),
    );
    list.replaceChildren(...charactersOf(desk.lines.values(), roles()).map((character) => part(cast, character, draw)));
    if (focused >= 0)
      /** @type {HTMLElement[]} */ ([...list.querySelectorAll("button, select, input")]).at(focused)?.focus();
  };
  const save = actionButton("primary", "Cast them", async () => {
    try {
      setProject(await patch(projectPath(), { cast: tidy(cast) }));
      dialog.close();
      await look();
    } catch (error) {
      dialog.showError(reason(error));
    }
  });
  const dialog = openDialog({ title: "Cast", look: "wide.cast", body: [h("p.hint", {}, HINT), list], actions: [save] });
  draw();
  await loadVoices().catch((error) => dialog.showError(reason(error)));
  draw();
}

/** One character with its voices, then its emotions with theirs. @param {Cast} cast @param {Character} character @param {() => void} draw */
function part(cast, { name, lines, emotions }, draw) {
  cast[name] ??= {};
  const by = cast[name];
  const others = emotions.filter((emotion) => !by[emotion]);
  const emotional = Object.keys(by).filter(Boolean);
  return h(
    "li.cast-part",
    {},
    h("div.cast-name", {}, h("b", {}, name || "No character"), h("span.hint", {}, plural(lines, "line"))),
    ...castings(by, name, "", draw),
    ...emotional.flatMap((emotion) => castings(by, name, emotion, draw)),
    h(
      "div.cast-more",
      {},
      add(by, "", by[""]?.length ? "Another voice" : "", draw),
      others.length > 0 && emotionChoice(by, others, draw),
    ),
  );
}

/** @param {Record<string, Casting[]>} by @param {string} character @param {string} emotion @param {() => void} draw */
function castings(by, character, emotion, draw) {
  const all = by[emotion]?.length ? by[emotion] : [{ voice: "", engine: "", settings: {} }];
  return all.map((casting, at) => {
    const put = (/** @type {Casting | null} */ next) => {
      by[emotion] = next ? all.with(at, next) : all.toSpliced(at, 1);
      if (!by[emotion].length && emotion) delete by[emotion];
      draw();
    };
    const only = all.length === 1 && !emotion;
    return castingRow(casting, {
      character,
      emotion,
      voices: voices(),
      put,
      removable: !only || Boolean(casting.voice),
    });
  });
}

/** @param {Record<string, Casting[]>} by @param {string} emotion @param {string} words @param {() => void} draw */
function add(by, emotion, words, draw) {
  const onclick = () => {
    by[emotion] = [...(by[emotion] ?? []), { voice: "", engine: "", settings: {} }];
    draw();
  };
  return words && h("button.link", { type: "button", onclick }, words);
}

/** @param {Record<string, Casting[]>} by @param {string[]} emotions @param {() => void} draw */
function emotionChoice(by, emotions, draw) {
  const onchange = () => {
    by[select.value] = [{ voice: "", engine: "", settings: {} }];
    draw();
  };
  const options = [["", "Another voice when…"], ...emotions.map((emotion) => [emotion, emotion])];
  const select = h(
    "select",
    { "aria-label": "Another voice for an emotion", onchange },
    ...options.map(([value, words]) => h("option", { value }, words)),
  );
  return select;
}

/** Without places that nobody took. @param {Cast} cast */
function tidy(cast) {
  /** @type {Cast} */
  const after = {};
  for (const [character, by] of Object.entries(cast))
    for (const [emotion, all] of Object.entries(by)) {
      const chosen = all.filter(({ voice }) => voice);
      if (chosen.length) after[character] = { ...after[character], [emotion]: chosen };
    }
  return after;
}
