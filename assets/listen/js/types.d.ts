// What the server sends, and what the modules of the page hand to one another.

export type Method = "ab" | "ab_reference" | "abx" | "mos" | "mushra";
export type Stage = "headphones" | "practice" | "trials" | "questions" | "done";

export interface Sound {
  name: string;
  url: string;
}

export interface Trial {
  id: string;
  text: string | null;
  sounds: Sound[];
  reference: Sound | null;
  choices: string[];
  must_hear_s: number;
}

export interface Question {
  id: string;
  text: string;
  choices: string[] | null; // null: free text
}

export interface State {
  title: string;
  question: string;
  instruction: string;
  method: Method;
  stage: Stage;
  number: number;
  count: number;
  trial: Trial | null;
  can_undo: boolean;
  questions: Question[];
  completion_code: string | null;
}

/** A vote: a choice, or a score for each sound. */
export type Answer = { choice: string } | { scores: Record<string, number> };
export type Vote = Answer & { trial: string; heard_s: Record<string, number>; took_s: number };

/** A request that changes the session. Each of them is answered by the next state. */
export interface Message {
  path: "votes" | "undo" | "answers";
  body: object;
}

/** A part of the sounds, in seconds. */
export interface Region {
  from_s: number;
  to_s: number;
}

/** The way to answer a trial: choices, scores or sliders. */
export interface Ballot {
  element: HTMLElement;
  /** Update the elements. `reason`: why no vote is possible yet, or null. */
  draw(reason: string | null): void;
  /** Handle a key. Returns false if the key has no meaning here. */
  key(key: string): boolean;
}

/** What a view shows, and what it does with a key that the focused element leaves alone. */
export interface View {
  element: HTMLElement;
  focus: HTMLElement;
  polls?: boolean; // its controls work while a request runs
  key?(key: string): boolean;
  leave?(): void;
}

export type Child = Node | string | number | false | null | undefined;
type Listeners = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => unknown;
};
export type Attributes = Listeners & Record<string, unknown>;
type TagName<Tag extends string> = Tag extends `${infer Name}.${string}` ? Name : Tag;
export type ElementOf<Tag extends string> =
  TagName<Tag> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagName<Tag>] : HTMLElement;
