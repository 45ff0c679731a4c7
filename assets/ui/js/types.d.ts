/** What the studio's routes tell, as far as the page reads it, and what the modules of the page hand each other. */

// References
interface Part {
  start_s: number;
  end_s: number;
}
interface Clip {
  id: string;
  name: string;
  duration_s: number;
  peaks: number[];
  windows: Part[]; // best first
  transcript?: string | null; // of a sample: what is said in all of it
}
/** A part of a clip; what is said in it stands in the transcript field. */
interface Voice extends Part {
  clip: Clip;
}
interface Check {
  name: string;
  state: "ok" | "warn" | "fail";
  message: string;
  mend: MendName | null;
}
type MendName = "trim" | "normalise" | "mono" | "high_pass" | "denoise";

// Requests and takes
/** By name, the seed among them. */
type Settings = Record<string, number | null | undefined>;
interface Order extends Part {
  text: string;
  clip_id: string;
  transcript: string;
  engine: string;
  champion: string; // its id; then there is no clip
  version: string; // empty: the current one
  attachment?: string;
  [setting: string]: unknown;
}
interface Take {
  id: string;
  order: Order;
  cost: { ttfa_s: number; rtf: number };
  engine: string;
  checkpoint: string;
  sample_rate: number;
  duration_s: number;
  starred: boolean;
  folder: string; // empty: in none
  notes?: string[]; // of the engine, on what may be wrong with it
  peaks: number[];
  heard: HeardTake | null; // null: not heard yet
  hearing: boolean; // waits, or is heard now
}
interface HeardWord {
  word: string;
  start_s: number;
  end_s: number;
  confidence: number; // 0 to 1
  sure: boolean; // whether it need not be checked
}
/** A written word that differs, or an added one. */
interface OtherWord {
  word: string;
  index: number; // of the written words
  start_s: number;
  end_s: number;
  heard?: string; // instead of it
}
interface HeardTake {
  complete: boolean | null; // null: the words could not be compared
  missing: OtherWord[];
  misheard: OtherWord[];
  added: OtherWord[];
  unsure: OtherWord[];
  transcript: string;
  message: string; // why the words could not be compared
  faults: { name: string; severity: "doubt" | "fail"; message: string }[];
}
/** Where a request stands. */
interface SpeakStatus {
  id: string;
  state: string;
  rank: number; // 1 = next to be admitted, 0 once admitted
  progress: number;
  eta_s: number | null;
  sample_rate: number | null;
}
/** The take that is being made, from the press to its end. */
interface Synthesis {
  phase: "checking" | "joining" | "queued" | "running";
  rank: number; // in whichever line it waits; 0 when it runs
  eta_s: number | null;
  progress: number;
  id: string | null; // known once the scheduler has it
  order: Order;
  aloud: boolean; // heard while it is made
  made: boolean; // all of its sound is made; keeping it may still fail
  retry: () => void;
  track: import("./audio/tracks.js").GrowingTrack | null;
  meter: import("./audio/peaks.js").PeakMeter | null;
  call: import("./speak/queue.js").QueuedCall;
  received: Promise<void> | null; // resolves once all of its sound is here
}

// Engines and telemetry
interface Limits {
  least: number;
  most: number;
}
interface Setting extends Limits {
  name: string;
  help: string;
  scales: "nothing" | "work" | "pace";
}
interface BackendChoice {
  computation: string;
  backend: string;
  title: string;
  numerics: "bit-identical" | "rounding" | "quantised";
  skipped: Record<string, string>; // reasons by the name of each faster backend
  failure: string;
}

interface EngineStatus {
  name: string;
  title: string;
  good_at: string;
  settings: Record<string, Setting>;
  fine_tunes: boolean;
  reference_max_s: number;
  licence: string;
  likeness: string;
  state: "unloaded" | "loading" | "warming" | "ready" | "failed";
  message: string;
  progress: number;
  memory_bytes: number;
  info: {
    checkpoint: string;
    sample_rate: number;
    defaults: Record<string, number>;
    markers: string[];
    device: string;
    dtype: string;
    parameters: number;
    compiled: boolean;
    backends: BackendChoice[];
  } | null; // until it is loaded
}
interface CacheCount {
  engine: string;
  name: string;
  found: number;
  missed: number;
}
interface TelemetryPoint {
  at_s: number;
  used_bytes: number;
  parts_bytes: Record<string, number>;
  utilisation: number;
  scheduler_busy: number;
  queued: number;
  running: number;
}
interface TimedTake {
  at_s: number;
  latency_s: number;
  ttfa_s: number;
}
interface RequestStatus {
  mine: boolean;
  engine: string;
  state: string;
  rank: number;
  progress: number;
  eta_s: number | null;
}
interface Percentiles {
  p50: number | null;
  p95: number | null;
}
/** The disk of the data folder: `low` when it is worth a warning, `short` when deleted things are dropped at once. */
interface DiskReading {
  free_bytes: number;
  total_bytes: number;
  low: boolean;
  short: boolean;
}
interface Telemetry {
  at_s: number;
  engines: EngineStatus[];
  device: string;
  memory: string;
  total_bytes: number;
  disk: DiskReading | null;
  now: TelemetryPoint;
  latency_s: Percentiles;
  ttfa_s: Percentiles;
  rtf: Percentiles;
  requests: number;
  caches: CacheCount[];
  outcomes: Record<string, number>;
  queue_length: number;
  running: RequestStatus[];
  waiting: RequestStatus[];
  points: TelemetryPoint[];
  timed: TimedTake[];
}

// Champions, jobs and stores
interface Consent {
  by: string;
  at: string;
  statement: string;
}
/** What a person writes about a champion. */
interface ChampionFacts {
  id: string;
  name: string;
  transcript: string;
  line: string;
  engine: string;
  settings: Settings;
  consent: Consent | null;
  notes: string;
  colour: string;
}
interface Champion extends ChampionFacts {
  title: string;
  version: string;
  current: boolean;
  saved_at: string;
  duration_s: number;
  peaks: number[];
  portrait: string | null;
  fine_tuned: boolean;
  votes: { won: number; tied: number; lost: number } | null;
}
/** An archive to download, a champion, or weights on trial. */
interface JobResult {
  id: string;
  title: string;
  archive: string;
  name: string;
  bytes: number;
}
type JobKind = "package" | "import" | "push" | "pull" | "attach" | "plan";
interface Job {
  id: string;
  kind: JobKind;
  champion: string;
  store: string;
  state: "running" | "paused" | "done" | "failed" | "cancelled";
  fraction: number;
  message: string;
  error: string;
  conflict: string; // the id of the champion in its way
  resumable: boolean;
  result: JobResult | null; // once it is done
  leave?: () => void; // of an upload, which the page itself makes
}
interface Store {
  name: string;
  title: string; // of its kind
  where: string;
  deliveries: boolean; // whether it takes those of scripts
}
interface StoredArchive {
  id: string;
  bytes: number;
  changed_at: string | null;
  here: "same" | "other" | "absent";
  note: string; // why it cannot be pulled
}
interface Plan {
  action: string;
  sentence: string;
}

// Scripts
type Role = "id" | "character" | "text" | "emotion" | "filename" | "scene" | "max_s" | "language" | "notes";
type Roles = Partial<Record<Role, number | null>>; // columns
/** ready: the select is stale, and a new take can replace it. */
type LineStatus = "empty" | "none" | "stale" | "ready" | "made" | "select" | "hold" | "retake" | "failed";
type Change = "text" | "lexicon" | "voice" | "engine" | "setting" | "length";
type Mark = "" | "select" | "hold" | "retake";
interface TakeCheck {
  name: string;
  outcome: "ok" | "doubt" | "fail" | "unmeasured";
  message: string;
  model: string; // empty: plain arithmetic
  value: number | null;
}
interface LineTake {
  id: string;
  number: number;
  voice: string;
  engine: string;
  seed: number;
  duration_s: number; // of the sound as it is played
  length_s: number; // of the delivered file
  mark: Mark;
  marked: number; // place of the mark among those of the line; 0: none
  comment: string;
  stale: boolean;
  changed: Change[]; // since a stale take was made
  proposed: boolean;
  score: number | null;
  peaks: number[];
  checks: TakeCheck[];
}
interface ScriptLine {
  key: string;
  cells: string[];
  deleted: boolean;
  status: LineStatus;
  why: string;
  changed: Change[]; // since the take of a stale line was made
  due: boolean; // a render of all that is due makes a take of it
  estimate_s: number | null; // of the delivered file
  directions: string[]; // stage directions of its text, as they are written
  takes: LineTake[];
  events: { at: string; what: string }[];
  notes?: LineNote[]; // from `line_notes` of its sheet
}
interface Sheet {
  id: string;
  name: string;
  revision: number;
  cast?: string; // digest of what all lines depend on
  desk?: string; // digest of the projects, and of this one's sheets, cast and lexicon
  columns: string[];
  roles: Roles;
  lines: ScriptLine[]; // those that changed
  render: SheetRender | null;
  line_notes?: Record<string, LineNote[]>; // by line, where there are any; absent: as before
  file_notes?: string[]; // of one that has just come in: what of its file was left out
  update?: number; // likewise: by which the update is undone
  encoding?: string; // likewise, of its file
  overwritten?: { line: string; column: number; value: string }[]; // by a change whose writer had not seen it
}
/** What to look at in a line before it is rendered or delivered. */
interface LineNote {
  kind: "length" | "language" | "same_id" | "formula";
  role: Role; // whose column shows it
  label: string;
  text: string;
  value: string;
}
/** A cell that differs between a sheet and its changed file, and who changed it. */
interface CellDifference {
  title: string; // of the column
  kind: "sheet" | "studio" | "both";
  before: string | null; // in the last file; null: unknown
  studio: string;
  sheet: string;
}
type DifferenceKind = CellDifference["kind"] | "added" | "removed" | "moved";
interface LineDifference {
  key: string; // empty: new
  kind: DifferenceKind;
  id: string;
  character: string;
  text: string;
  in_file: boolean;
  deleted: boolean; // in the studio
  takes: number;
  moved: boolean;
  shares_id: boolean;
  keepable: boolean;
  kept: boolean; // unless somebody decides otherwise
  cells: CellDifference[];
}
interface SheetComparison {
  name: string;
  digest: string;
  counts: Record<DifferenceKind, number>;
  unchanged: number;
  new_columns: string[];
  lost_columns: string[];
  lines: LineDifference[];
}
interface SheetRender {
  state: "running" | "paused" | "done" | "stopped";
  trouble: string; // why the studio paused it
  sheet: string;
  done: number;
  total: number;
  failed: { line: string; message: string }[]; // without those whose cause is gone
  making: string[]; // keys of the lines that are spoken now
  eta_s: number | null;
  compute_s: number;
  audio_s: number;
}
/** A render that runs or is paused, on any page. */
interface RunningRender extends SheetRender {
  project: string;
  project_name: string;
  sheet_name: string;
}
interface RenderOrder {
  sheet: string;
  lines: string[] | null;
  takes: number;
  budget: number;
  again: boolean;
}
/** Changes of a sheet that take effect together. */
interface SheetChange {
  cells?: { line: string; column: number; value: string; before?: string }[]; // before: as it was seen
  marks?: { line: string; take: string; mark?: Mark; comment?: string }[];
  delete?: string[];
  restore?: string[];
  add?: NewLine[];
}
/** A change that the studio has, and what it told of it. */
interface SavedChange {
  place: { project: string; sheet: string };
  change: SheetChange;
  told: Sheet;
}
/** At the end of the sheet; where it is there already, deleted, it is brought back. */
interface NewLine {
  key: string;
  cells: string[];
}
interface Casting {
  voice: string;
  engine: string;
  settings: Record<string, number>;
  clip?: CastClip; // an upload that speaks without being a champion
}
interface CastClip {
  clip_id: string;
  start_s: number;
  end_s: number;
  transcript: string;
}
type Cast = Record<string, Record<string, Casting[]>>; // by character, then by emotion
interface Respelling {
  word: string;
  spoken: string;
  match_case: boolean;
  whole_word: boolean;
  voice: string;
}
interface Project {
  id: string;
  name: string;
  sheets: { id: string; name: string; lines: number; takes: number }[];
  cast: Cast;
  lexicon: Respelling[];
  delivery: { preset: string; choices: Record<string, unknown>; to: string };
  presets: SavedPreset[];
  render: SheetRender | null;
}
/** Choices of a delivery under a name. */
interface SavedPreset {
  name: string;
  preset: string;
  choices: Record<string, unknown>;
}
/** What becomes of stale selects in a delivery. */
type StaleRule = "refuse" | "render" | "deliver" | "leave_out";
/** What a delivery would take, and what it would ask. */
interface DeliveryPreview {
  selects: number;
  stale: { line: string; id: string; why: string; ready: boolean }[];
  same_ids: { id: string; lines: string[] }[];
  names: string[];
  error: string; // why there are no names
}
/** Whom a script may name. */
interface NamedVoice {
  id: string;
  name: string;
  kind: "champion" | "sample";
  model: string;
}

// Trials
type Side = "a" | "b";
type Choice = Side | "tie";
/** What a vote is about. */
interface Arm {
  engine: string;
  checkpoint?: string;
  settings?: Settings;
}
interface TrialSide extends Required<Arm> {
  sound: string; // the rest is told once the vote is sealed
  take: string;
  heard: HeardTake | null;
}
interface Trial extends Record<Side, TrialSide> {
  id: string;
  stage: "open" | "voted" | "sealed";
  choice: Choice | null;
  sample_rate: number;
  must_hear_s: number;
  repeats: boolean;
  texts: string[]; // two if they say different texts
  differs: string[];
  counts: boolean;
}
interface Tally {
  first: Arm;
  second: Arm;
  wins: number;
  losses: number;
  ties: number;
  low: number;
  high: number;
}
interface TrialDesk {
  trial: Trial | null;
  place: { pair: number; pairs: number } | null; // of the trial among the pairs of one line
  pairs: number;
  tally: Tally[] | null;
}

// Elements
type TagName<Tag extends string> = Tag extends `${infer Name}.${string}` ? Name : Tag;
type ElementOf<Tag extends string> =
  TagName<Tag> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagName<Tag>] : HTMLElement;
type Child = Node | string | number | false | null | undefined | "";
type Listeners = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => unknown;
};
type Attributes = Listeners & Record<string, unknown>;

// Gradio's own configuration of the page
interface GradioDependency {
  id: number;
  api_name: string;
  inputs: number[];
}
interface GradioProps {
  elem_id?: string;
  elem_classes?: string[];
  label?: string;
  value?: unknown;
}
interface Window {
  gradio_config: {
    api_prefix: string;
    dependencies: GradioDependency[];
    components: { id: number; props: GradioProps }[];
  };
}

// An audio worklet's own scope
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
