/** The deck: a button for each sound, play and pause, the time bar, and the settings of playback. */
import { announce, h, icon, kbd, keyButton } from "./dom.js";
import { keepSetting, setting } from "./storage.js";
import { TimeBar } from "./timebar.js";

/** @import { Player } from "./player.js" */
/** @import { Method, Stage } from "./types.d.ts" */

const IN_PLACE = "switch in place";
const LOOP = "loop";

export class Deck {
  /** @param {Player} player @param {{stage: Stage, method: Method}} session @param {number} must_hear_s */
  constructor(player, { stage, method }, must_hear_s) {
    this.player = player;
    this.must_hear_s = must_hear_s;
    this.test = stage === "headphones"; // tones: always from their start, without a time bar
    this.only = player.tracks.length === 1;
    this.numbered = method === "mushra" && !this.test;
    this.inPlace = !this.test && setting(IN_PLACE, true);
    player.loop = !this.test && setting(LOOP, !this.only);
    this.buttons = new Map(player.tracks.map(({ name }) => [name, this.#soundButton(name)]));
    this.playButton = keyButton("button.play", [icon("play")], "", () => this.toggle(), {
      "aria-keyshortcuts": "Space",
    });
    this.bar = new TimeBar(player);
    this.loopButton = keyButton("button.quiet", "Loop", "L", () => this.#setLoop(), { "aria-keyshortcuts": "L" });
    this.stopButton = keyButton("button.quiet", "Stop", "Esc", () => player.stop(), { "aria-keyshortcuts": "Escape" });
    this.whole = keyButton("button.quiet", "Play all", "", () => this.#playAll());
    this.switches = [
      keyButton("button", "Keep position", "", () => this.#setInPlace(true)),
      keyButton("button", "Restart", "", () => this.#setInPlace(false)),
    ];
    this.transport = this.#transport();
    this.#watch();
  }

  /** The key that plays a sound. @param {string} name */
  keyOf(name) {
    if (name === "Reference") return "R";
    const sides = this.player.tracks.filter(({ name }) => name !== "Reference");
    return this.numbered ? String(1 + sides.findIndex((side) => side.name === name)) : name;
  }

  /** @param {string} name */
  #soundButton(name) {
    const key = this.keyOf(name);
    const state = h("span.heard-state");
    const act = () => this.press(name);
    const extra = key !== name && kbd(key);
    const words = h("span.sr-only", {}, this.test ? "Play tone " : "Play ");
    const face = [h("span.letter", {}, words, name), h("span.aside", {}, extra, state)];
    const element = keyButton("button.sound", face, "", act, { "aria-keyshortcuts": key });
    element.classList.toggle("long", name.length > 1);
    return { element, state };
  }

  #transport() {
    if (this.test) return h("div.transport", {}, this.playButton, h("p.hint.keys", {}, kbd("Space"), " play or pause"));
    const switches = h("div.modes", { role: "group", "aria-label": "Switch sounds" }, ...this.switches);
    const modes = [h("span.hint", { "aria-hidden": "true" }, "Switch"), switches];
    const keys = h("span.hint.keys", {}, kbd("Space"), " play or pause");
    return h(
      "div.transport",
      {},
      h("div.bar-row", {}, this.playButton, this.bar.element, this.bar.time),
      h("div.tools", {}, this.only ? [] : modes, this.loopButton, this.stopButton, this.whole, keys),
    );
  }

  /** Move the time bar in every frame while the deck is on the page. */
  #watch() {
    let moved = false;
    const frame = () => {
      if (moved && !this.transport.isConnected) return;
      moved ||= this.transport.isConnected;
      if (this.player.playing) this.bar.draw();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** Play a sound: at the present position, or from the start. @param {string} name */
  press(name) {
    const { player } = this;
    const change = name !== player.audible || !player.playing;
    if (!this.inPlace) player.play(name, player.region.from_s);
    else if (player.playing) player.switchTo(name);
    else player.play(name, player.position);
    if (change) announce(this.only ? "Playing" : `Playing ${name}`);
  }

  toggle() {
    const { player } = this;
    if (player.playing) player.pause();
    else player.play(player.audible, this.test ? 0 : player.position);
    announce(player.playing ? `Playing ${this.only ? "" : player.audible}` : "Paused");
  }

  #setLoop() {
    const { player } = this;
    player.change(player.region, !player.loop);
    keepSetting(LOOP, player.loop);
  }

  #playAll() {
    this.player.change({ from_s: 0, to_s: this.player.duration }, this.player.loop);
  }

  /** @param {boolean} inPlace */
  #setInPlace(inPlace) {
    this.inPlace = inPlace;
    keepSetting(IN_PLACE, inPlace);
    this.draw();
  }

  /** @param {string} name */
  wasHeard(name) {
    return this.player.heard_s[name] >= this.must_hear_s;
  }

  /** Handle a key. Returns false if it has no meaning here. @param {string} key */
  key(key) {
    const name = [...this.buttons.keys()].find((name) => this.keyOf(name) === key);
    if (key === " ") this.toggle();
    else if (key === "L" && !this.test) this.#setLoop();
    else if (key === "Escape") this.player.stop();
    else if (name) this.press(name);
    else return false;
    return true;
  }

  draw() {
    const { player } = this;
    for (const [name, { element, state }] of this.buttons) {
      element.setAttribute("aria-pressed", String(player.audible === name && player.playing));
      element.classList.toggle("current", player.audible === name);
      const words = this.wasHeard(name) ? "✓ heard" : "not heard yet";
      if (state.textContent !== words) state.textContent = words;
    }
    this.playButton.replaceChildren(icon(player.playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    this.loopButton.setAttribute("aria-pressed", String(player.loop));
    this.switches.forEach((button, place) => {
      button.setAttribute("aria-pressed", String(this.inPlace === (place === 0)));
    });
    const { from_s, to_s } = player.region;
    this.whole.hidden = from_s === 0 && to_s === player.duration;
    this.bar.draw();
  }
}
