/** The field in which the owner chooses the idle time after which an engine is unloaded. */
import { h, icon, setText } from "../core/dom.js";
import { seconds } from "../core/format.js";
import { attempt } from "../core/login.js";
import { put } from "../core/server.js";
import { refreshTelemetry } from "../core/telemetry.js";
import { clearFailures, toast } from "../core/toast.js";

const NEVER = "";
const TIMES_S = [300, 900, 1800, 3600, 14_400];

export class IdleChoice {
  /** @param {string} engine @param {string} title */
  constructor(engine, title) {
    this.engine = engine;
    this.title = title;
    this.left = h("small");
    this.select = h("select", { "aria-label": `Unload ${title} when idle`, onchange: () => this.choose() });
    this.select.append(h("option", { value: NEVER }, "never"));
    for (const time_s of TIMES_S) this.add(time_s);
    this.element = h(
      "div.idle",
      { title: "The next request loads the engine again. Until then its memory is free." },
      h("label", {}, "Unload when idle ", h("span.select", {}, this.select, icon("down"))),
      this.left,
    );
    this.stored = NEVER;
  }

  /** @param {number} time_s */
  add(time_s) {
    this.select.append(h("option", { value: String(time_s) }, `after ${words(time_s)}`));
  }

  /** @param {IdleState | undefined} idle */
  update(idle) {
    const stored = idle?.after_s ? String(idle.after_s) : NEVER;
    if (stored !== this.stored) {
      this.stored = stored;
      if (![...this.select.options].some(({ value }) => value === stored)) this.add(Number(stored));
      this.select.value = stored;
    }
    const left = idle?.left_s;
    setText(this.left, left === null || left === undefined ? "" : `unloads in ${words(Math.ceil(left))}`);
  }

  async choose() {
    const after_s = this.select.value === NEVER ? null : Number(this.select.value);
    clearFailures();
    const saved = await attempt(() => put(`/studio/engines/${this.engine}/idle-unload`, { after_s }));
    if (!saved) {
      this.select.value = this.stored;
      return;
    }
    toast(
      after_s === null
        ? `${this.title} is never unloaded when idle.`
        : `${this.title} is unloaded after ${words(after_s)} without a request.`,
    );
    await refreshTelemetry();
  }
}

/** Format a time: 300 -> "5 min"; 3600 -> "1 h"; 75 -> "1 min 15 s". @param {number} time_s */
function words(time_s) {
  if (time_s % 3600 === 0) return `${time_s / 3600} h`;
  if (time_s > 7200) return `${Math.floor(time_s / 3600)} h ${Math.round((time_s % 3600) / 60)} min`;
  if (time_s % 60 === 0) return `${time_s / 60} min`;
  return time_s < 60 ? `${Math.round(time_s)} s` : seconds(time_s);
}
