/** The take that is being made: a waveform that grows, and where it stands. */
import { follow } from "./bus.js";
import { h } from "./dom.js";
import { state } from "./state.js";
import { Waveform } from "./waveform.js";
import { about, percent, rankWords, seconds } from "./words.js";
import * as player from "./player.js";

const IDLE = Array.from({ length: 120 }, (_, place) => 0.12 + 0.1 * Math.sin(place / 5) ** 2);

export class LiveRow {
  constructor() {
    this.waveform = new Waveform({ className: "live" });
    this.text = h("p.take-text");
    this.facts = h("p.facts");
    this.element = h(
      "div.take.being-made",
      { hidden: true },
      h("span.pulse", { "aria-hidden": "true" }),
      h("div.take-body", {}, this.text, h("div.take-wave", {}, this.waveform.element), this.facts),
    );
    follow(["performance", "playhead"], () => this.draw());
  }

  draw() {
    const { performance } = state;
    this.element.hidden = !performance;
    if (!performance) return;
    this.text.textContent = performance.order.text;
    this.facts.textContent = words(performance);
    const { track, meter, id, progress } = performance;
    if (!track?.length) return this.waveform.show({ peaks: IDLE, played: 0, filled: 1 });
    const filled = Math.min(1, Math.max(progress, 0.05));
    this.waveform.show({ peaks: meter.peaks, filled, played: (player.positionOf(id) / track.duration) * filled });
  }
}

function words({ phase, rank, eta_s, progress, track, id }) {
  if (phase === "queued") return rankWords(rank, eta_s);
  if (phase !== "running") return "Asking for a place";
  const facts = [
    track?.length && `${seconds(track.duration)} made`,
    progress && percent(progress),
    eta_s && `${about(eta_s)} left`,
    buffering(player.waitOf(id)),
  ];
  return facts.filter(Boolean).join(" · ") || "Starting";
}

/** Why it does not sound yet, or not now. */
function buffering(wait_s) {
  if (!wait_s) return "";
  return Number.isFinite(wait_s) ? `buffering, heard in ${about(wait_s)}` : "buffering";
}
