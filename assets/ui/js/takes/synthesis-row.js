/** The row of the running generation: a growing waveform and the progress. */
import * as player from "../audio/player.js";
import { Waveform } from "../audio/waveform.js";
import { follow } from "../core/bus.js";
import { h } from "../core/dom.js";
import { STATE } from "../core/events.js";
import { about, percent, rankWords, seconds } from "../core/format.js";
import { state } from "../core/state.js";
import { lineOf } from "./voice.js";

const IDLE = Array.from({ length: 120 }, (_, place) => 0.12 + 0.1 * Math.sin(place / 5) ** 2);

export class SynthesisRow {
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
    follow([STATE.synthesis, STATE.playhead], () => this.draw());
  }

  draw() {
    const { synthesis } = state;
    this.element.hidden = !synthesis;
    if (!synthesis) return;
    this.text.textContent = lineOf(synthesis.order);
    this.facts.textContent = words(synthesis);
    const { track, meter, id, progress } = synthesis;
    if (!track?.length) {
      this.waveform.show({ peaks: IDLE, played: 0, filled: 1 });
      return;
    }
    const filled = Math.min(1, Math.max(progress, 0.05));
    const played = (player.positionOf(id) / track.duration) * filled;
    this.waveform.show({ peaks: meter?.peaks, filled, played });
  }
}

/** @param {Synthesis} synthesis */
function words({ phase, rank, eta_s, progress, track, id }) {
  if (phase === "queued") return rankWords(rank, eta_s);
  if (phase !== "running") return "Joining queue";
  const facts = [
    track?.length && `${seconds(track.duration)} ready`,
    progress && percent(progress),
    eta_s && `${about(eta_s)} left`,
    buffering(player.waitOf(id)),
  ];
  return facts.filter(Boolean).join(" · ") || "Starting";
}

/** Return why playback has not started or pauses. @param {number} wait_s */
function buffering(wait_s) {
  if (!wait_s) return "";
  return Number.isFinite(wait_s) ? `buffering, plays in ${about(wait_s)}` : "buffering";
}
