/** Votes by one press: which side is better, which side is X, which tone is the quietest. */
import { h, keyButton } from "./dom.js";

/** @import { Deck } from "./deck.js" */
/** @import { Answer, Ballot, State } from "./types.d.ts" */

/** The words and keys of each choice. @type {Record<string, [string, string]>} */
const PREFERENCES = {
  a: ["A is better", "←"],
  b: ["B is better", "→"],
  tie: ["Tie", "T"],
  both_bad: ["Both are bad", "N"],
};
/** @type {Record<string, [string, string]>} */
const SAME = { a: ["X is A", "←"], b: ["X is B", "→"] };
/** @type {Record<string, string>} */
const ARROWS = { ArrowLeft: "←", ArrowRight: "→" };

/**
 * Return the buttons of the choices of a trial.
 * @param {State} state @param {string[]} choices @param {(answer: Answer) => unknown} vote @returns {Ballot}
 */
export function choiceBallot({ method }, choices, vote) {
  const words = method === "abx" ? SAME : PREFERENCES;
  const options = choices.map((choice) => {
    const [text, key] = words[choice] ?? [choice, ""];
    const act = () => vote({ choice });
    const button = keyButton("button.vote", text, key, act, {
      "aria-keyshortcuts": { "←": "ArrowLeft", "→": "ArrowRight" }[key] ?? key,
      "aria-describedby": "reason",
    });
    return { key, act, button };
  });
  return {
    element: h("div.votes", { role: "group", "aria-label": "Your vote" }, ...options.map(({ button }) => button)),
    draw(reason) {
      for (const { button } of options) button.disabled = reason !== null;
    },
    key(pressed) {
      const option = options.find(({ key }) => key && key === (ARROWS[pressed] ?? pressed));
      option?.act();
      return option !== undefined;
    },
  };
}

/**
 * Return the buttons of the headphone check. The digits play the tones, so Enter chooses the tone that played last.
 * @param {Deck} deck @param {string[]} choices @param {(answer: Answer) => unknown} vote @returns {Ballot}
 */
export function toneBallot(deck, choices, vote) {
  const buttons = choices.map((choice) => {
    const words = [`Tone ${choice}`, h("span.sr-only", {}, " is the quietest")];
    return keyButton("button.vote", words, "Enter", () => vote({ choice }), { "aria-describedby": "reason" });
  });
  return {
    element: h("div.votes.three", { role: "group", "aria-label": "The quietest tone" }, ...buttons),
    draw(reason) {
      buttons.forEach((button, place) => {
        button.disabled = reason !== null;
        const last = deck.player.audible === choices[place];
        button.querySelector("kbd")?.toggleAttribute("hidden", !last);
        if (last) button.setAttribute("aria-keyshortcuts", "Enter");
        else button.removeAttribute("aria-keyshortcuts");
      });
    },
    key(pressed) {
      if (pressed !== "Enter") return false;
      vote({ choice: deck.player.audible });
      return true;
    },
  };
}
