/** Answers of the studio's routes, with the members that the page reads, and types that several modules share. */

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
  windows: Part[]; // best part first
  transcript?: string | null; // of a sample: the transcript of the whole clip
}
/** A part of a clip. Its transcript is in the transcript field. */
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

/** The name of a step for "Undo": a verb and its object, such as "delete 2 takes". */
type UndoLabel = `${UndoVerb} ${string}`;
type UndoVerb =
  | "add"
  | "apply"
  | "change"
  | "delete"
  | "edit"
  | "mark"
  | "move"
  | "normalise"
  | "paste"
  | "reduce"
  | "remove"
  | "replace"
  | "restore"
  | "select"
  | "trim"
  | "update"
  | "use"
  | "vote";

// Requests and takes
/** Values by the name of the setting, including the seed. */
type Settings = Record<string, number | null | undefined>;
interface Order extends Part {
  text: string;
  clip_id: string;
  transcript: string;
  engine: string;
  champion: string; // id; if it is set, there is no clip
  version: string; // empty: the current version
  attachment?: string;
  performance?: string; // id of a recording that the voice speaks; `text` is what it says, if known
  design?: string; // gender, pitch and speed of a voice that the engine invents; then there is no clip and no champion
  language?: string; // BCP 47 tag of the text; empty: detect
  [setting: string]: unknown;
}
/** The part of a take that one voice speaks. */
interface Segment extends Part {
  voice: string; // as named in the text; empty: the voice of the text
  text: string;
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
  folder: string; // empty: no folder
  segments?: Segment[]; // of a text with several voices
  notes?: string[]; // from the engine, about possible problems
  peaks: number[];
  heard: HeardTake | null; // null: not checked yet
  hearing: boolean; // waits for the check, or is being checked
}
interface HeardWord {
  word: string;
  start_s: number;
  end_s: number;
  confidence: number; // 0 to 1
  sure: boolean; // false: the user should check the word
}
/** A written word that is missing or misheard, or an added word. */
interface OtherWord {
  word: string;
  index: number; // among the written words
  start_s: number;
  end_s: number;
  heard?: string; // the word that is heard instead
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
  note?: string; // why the studio made this take or another take: a fault
}
/** The progress of a request. */
interface SpeakStatus {
  id: string;
  state: string;
  rank: number; // 1 = next to be admitted, 0 once admitted
  progress: number;
  eta_s: number | null;
  sample_rate: number | null;
}
/** A running generation, from the click on Speak to its end. */
interface Synthesis {
  phase: "checking" | "joining" | "queued" | "running";
  rank: number; // in Gradio's queue or the scheduler's; 0 when it runs
  eta_s: number | null;
  progress: number;
  id: string | null; // null until the scheduler has the request
  order: Order;
  aloud: boolean; // whether it is played during generation
  made: boolean; // all audio is generated; saving may still fail
  retry: () => void;
  track: import("./audio/tracks.js").GrowingTrack | null;
  meter: import("./audio/peaks.js").PeakMeter | null;
  call: import("./speak/queue.js").QueuedCall;
  received: Promise<void> | null; // resolves when all audio is received
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
  skipped: Record<string, string>; // reason by the name of each faster backend
  failure: string;
}

interface EngineStatus {
  name: string;
  title: string;
  good_at: string;
  settings: Record<string, Setting>;
  fine_tunes: boolean;
  converts: boolean; // whether it speaks a recording in another voice
  designs: boolean; // whether it invents a voice from a description
  reference_max_s: number;
  licence: string;
  likeness: string;
  languages: string[]; // BCP 47 tags
  state: "unloaded" | "loading" | "warming" | "ready" | "failed";
  message: string;
  progress: number;
  memory_bytes: number;
  memory_parts: Record<string, number>; // bytes by part
  info: {
    checkpoint: string;
    sample_rate: number;
    defaults: Record<string, number>;
    markers: string[];
    device: string;
    dtype: string;
    parameters: number;
    rows: number; // requests in one step
    backends: BackendChoice[];
  } | null; // null until the engine is loaded
}
/** An engine that this studio does not run. */
interface AvailableEngine {
  name: string;
  title: string;
  good_at: string;
  how: string; // how the operator adds the engine
}
interface CacheCount {
  engine: string;
  name: string;
  entries: number;
  bytes: number;
  found: number;
  missed: number;
}
/** When an engine is unloaded. */
interface IdleState {
  after_s: number | null; // null: never
  left_s: number | null; // null: no unload is planned, because the time is "never" or the engine is in use or not ready
  asleep: boolean; // unloaded because it was idle
}
interface TelemetryPoint {
  at_s: number;
  used_bytes: number;
  parts_bytes: Record<string, number>;
  utilisation: number; // of the GPU, or the share of the CPU that the studio uses
  machine: number | null; // load of the CPU by all programs; null for a GPU
  scheduler_busy: number;
  queued: number;
  running: number;
  temperature_c: number | null; // of the GPU
  power_w: number | null;
}
interface TimedTake {
  at_s: number;
  engine: string;
  latency_s: number;
  ttfa_s: number;
  queued_s: number;
  rtf: number;
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
  p99: number | null;
}
/** The requests of an engine that ended in a window before now. */
interface WindowStatistics {
  engine: string;
  window_s: number;
  covered_s: number; // shorter than window_s if older records were dropped
  outcomes: Record<string, number>;
  total_s: Percentiles;
  first_audio_s: Percentiles;
  rtf: Percentiles;
}
/** The disk of the data folder. `low`: show a warning; `short`: deleted items are purged at once. */
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
  power_limit_w: number | null;
  disk: DiskReading | null;
  now: TelemetryPoint;
  latency_s: Percentiles;
  ttfa_s: Percentiles;
  rtf: Percentiles;
  requests: number;
  caches: CacheCount[];
  idle: Record<string, IdleState>;
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
/** The facts of a champion that the user edits. */
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
  language?: string; // BCP 47 tag; empty: detect
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
/** An archive to download, a champion, or attached weights. */
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
  conflict: string; // id of the existing champion that blocks an import
  resumable: boolean;
  result: JobResult | null; // null until the job is done
  leave?: () => void; // cancels an upload of this page
}
interface Store {
  name: string;
  title: string; // kind of the store
  where: string;
  deliveries: boolean; // whether the store accepts deliveries
}
interface StoredArchive {
  id: string;
  bytes: number;
  changed_at: string | null;
  here: "same" | "other" | "absent";
  note: string; // why the archive cannot be pulled
}
interface Plan {
  action: string;
  sentence: string;
}

// Scripts
type Role = "id" | "character" | "text" | "emotion" | "filename" | "scene" | "max_s" | "language" | "notes";
type Roles = Partial<Record<Role, number | null>>; // index of the column of each role
/** "ready": the select is stale, and a new take can replace the select. */
type LineStatus = "empty" | "none" | "stale" | "ready" | "made" | "select" | "hold" | "retake" | "failed";
type Change = "text" | "lexicon" | "language" | "voice" | "engine" | "setting" | "length";
type Mark = "" | "select" | "hold" | "retake";
interface TakeCheck {
  name: string;
  outcome: "ok" | "doubt" | "fail" | "unmeasured";
  message: string;
  model: string; // empty: computed without a model
  value: number | null;
}
interface LineTake {
  id: string;
  number: number;
  voice: string;
  engine: string;
  seed: number;
  duration_s: number; // of the played audio
  length_s: number; // of the delivered file
  mark: Mark;
  marked: number; // order of the mark among the marks of the line; 0: no mark
  comment: string;
  stale: boolean;
  changed: Change[]; // since the stale take was generated
  proposed: boolean;
  score: number | null;
  peaks: number[];
  segments?: Segment[]; // of a text with several voices
  checks: TakeCheck[];
}
interface ScriptLine {
  key: string;
  cells: string[];
  deleted: boolean;
  status: LineStatus;
  why: string;
  changed: Change[]; // since the take of a stale line was generated
  due: boolean; // whether "Render" generates a take
  estimate_s: number | null; // of the delivered file
  directions: string[]; // stage directions of the text, as written
  takes: LineTake[];
  events: { at: string; what: string }[];
  notes?: LineNote[]; // from `line_notes` of the sheet
  unsaved?: boolean; // whether a mark or note of a take is not saved yet
}
interface Sheet {
  id: string;
  name: string;
  revision: number;
  cast?: string; // digest of the data that all lines depend on
  project_digest?: string; // digest of the projects, and of this project's sheets, cast and lexicon
  columns: string[];
  roles: Roles;
  lines: ScriptLine[]; // the changed lines
  render: SheetRender | null;
  line_notes?: Record<string, LineNote[]>; // by line, without empty lists; absent: unchanged
  file_notes?: string[]; // after an import: parts of the file that were left out
  update?: number; // after an update: its number for Undo
  encoding?: string; // after an import: encoding of the file
  // cells that this change overwrote although its author had not seen their values
  overwritten?: { line: string; column: number; value: string }[];
}
/** A warning about a line, to check before rendering or delivery. */
interface LineNote {
  kind: "length" | "language" | "same_id" | "formula" | "voice";
  role: Role; // the column of this role shows the warning
  label: string;
  text: string;
  value: string;
}
/** A cell that differs between a sheet and its changed file, and which side changed it. */
interface CellDifference {
  title: string; // of the column
  kind: "file" | "studio" | "both";
  before: string | null; // value at the last import; null: unknown
  studio: string;
  file: string; // value in the new file
}
type DifferenceKind = CellDifference["kind"] | "added" | "removed" | "moved";
interface LineDifference {
  key: string; // empty: a new line
  kind: DifferenceKind;
  id: string;
  character: string;
  text: string;
  in_file: boolean;
  deleted: boolean; // deleted in the studio
  takes: number;
  moved: boolean;
  shares_id: boolean;
  keepable: boolean;
  kept: boolean; // default choice: keep the studio's version
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
  trouble: string; // why the studio paused the render
  sheet: string;
  done: number; // lines whose takes are generated and checked
  unmade: number; // lines that failed in this render
  total: number; // without lines that had failed before
  checking: number; // lines whose takes are generated but not checked yet
  waits: boolean; // whether the render waits for other requests
  causes: string[]; // causes of failures, with the number of lines
  failed: { line: string; message: string }[]; // without lines whose cause is fixed
  making: string[]; // keys of the lines that are being generated
  eta_s: number | null;
  compute_s: number;
  audio_s: number;
}
/** A running or paused render of any project. */
interface RunningRender extends SheetRender {
  project: string;
  project_name: string;
  sheet_name: string;
}
interface RenderOrder {
  sheet: string;
  lines: string[] | null;
  takes: number;
  budget: number | null; // null: as the project says
  again: boolean;
}
/** Changes of a sheet that take effect together. */
interface SheetChange {
  cells?: { line: string; column: number; value: string; before?: string }[]; // before: the value that the user saw
  marks?: { line: string; take: string; mark?: Mark; comment?: string }[];
  delete?: string[];
  restore?: string[];
  add?: NewLine[];
}
/** A change that the studio saved, and its answer. */
interface SavedChange {
  place: { project: string; sheet: string };
  change: SheetChange;
  told: Sheet;
}
/** A line to add at the end of the sheet. If it exists and is deleted, it is restored. */
interface NewLine {
  key: string;
  cells: string[];
}
interface Casting {
  voice: string;
  engine: string;
  settings: Record<string, number>;
  clip?: CastClip; // a clip that is used as a voice
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
  language: string; // BCP 47 tag; empty: every language
}
interface Project {
  id: string;
  name: string;
  sheets: { id: string; name: string; lines: number; takes: number }[];
  cast: Cast;
  languages: string[]; // language tags in the sheets
  lexicon: Respelling[];
  delivery: { preset: string; choices: Record<string, unknown>; to: string };
  presets: SavedPreset[];
  best_of: number; // seeds that a render tries for a take whose checks fail
  render: SheetRender | null;
}
/** A delivery preset that is saved with the project. */
interface SavedPreset {
  name: string;
  preset: string;
  choices: Record<string, unknown>;
}
/** How a delivery treats stale selects. */
type StaleRule = "refuse" | "render" | "deliver" | "leave_out";
/** A preview of a delivery, with the questions to answer first. */
interface DeliveryPreview {
  selects: number;
  unselected: number; // lines without a select
  stale: { line: string; id: string; why: string; ready: boolean }[];
  same_ids: { id: string; lines: string[] }[];
  names: string[];
  open_names: string[]; // the names that change with the number of a take that is not rendered yet
  error: string; // why the file names are unknown
}
/** A voice that a script can use. */
interface NamedVoice {
  id: string;
  name: string;
  kind: "champion" | "sample";
  model: string;
}

// Trials
type Side = "a" | "b";
type Choice = Side | "tie";
/** One of the two configurations that votes compare. */
interface Arm {
  engine: string;
  checkpoint?: string;
  settings?: Settings;
}
interface TrialSide extends Required<Arm> {
  sound: string; // the other members are sent after the vote is sealed
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
  texts: string[]; // two if the takes have different texts
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
interface CompareState {
  trial: Trial | null;
  place: { pair: number; pairs: number } | null; // number of the trial among the pairs of one line
  pairs: number;
  tally: Tally[] | null;
}

// Listening sessions
type ListeningMethod = "ab" | "ab_reference" | "abx" | "mos" | "mushra";
/** An arm in the editor. */
interface SessionArm {
  name: string;
  voice: string;
  engine: string;
  settings: Record<string, number>; // with the seed
}
interface SessionFacts {
  name: string;
  title: string; // for listeners
  question: string;
  method: ListeningMethod;
  trials: number; // of each listener
  practice: number;
  catches: boolean;
  headphones: boolean;
  arena: boolean; // A/B methods only
  shows_text: boolean;
  reference: number; // index of the arm; MUSHRA only
}
/** The plan of a session in the editor. A list of texts is one string, a line for each. */
interface SessionDraft extends SessionFacts {
  arms: SessionArm[];
  lines: string;
  questions: { text: string; choices: string }[];
}
interface SessionPlan extends SessionFacts {
  arms: { name: string; voice: string; order: Order }[];
  lines: string[];
  questions: { text: string; choices: string[] }[];
}
interface ListeningSession {
  id: string;
  plan: SessionPlan;
  created_at: number;
  state: "rendering" | "open" | "paused" | "failed" | "closed";
  failure: string;
  takes: number;
  made: number;
  current?: string; // the take that is made now, such as "ours f5, line 2"; "" if there is none
  left_s?: number | null; // until all takes are made; null if unknown
  listeners: number;
  votes: number; // on ordinary trials, also of excluded listeners
  all_votes: number; // on ordinary, practice and catch trials, and in headphone checks
}
interface Invitation {
  id: string;
  note: string;
  created_at: number;
  expires_at: number | null;
  state: "valid" | "expired" | "revoked";
  path?: string; // only in the answer to its creation
}
/** The common members of results of a pair of arms; 95 % interval. */
interface PairBasis {
  first: number; // index of the arm
  second: number;
  share: number | null;
  low: number;
  high: number;
  p: number;
  decided: boolean;
  votes_needed: number | null;
}
interface PreferencePair extends PairBasis {
  wins: number;
  losses: number;
  ties: number;
}
interface AbxPair extends PairBasis {
  correct: number;
  count: number;
}
type SessionPair = PreferencePair | AbxPair;
/** The answer to a trial. The scores are by index of the side. */
interface LineVote {
  arms: (number | "anchor")[];
  choice: string | null;
  scores: Record<string, number>;
  right: boolean | null; // of an ABX answer
}
interface SessionListener {
  id: string;
  joined_at: number;
  completed_at: number | null;
  completion_code: string;
  votes: number;
  excluded: string | null; // reason
  answers: Record<string, string>;
}
/** What the automatic checks found in the takes of an arm. */
interface TakeScores {
  heard: number; // takes whose words were compared with the line
  lost: number; // takes with a missing, misheard or added word
  faulty: number; // takes with a serious fault of the audio
  mos: number | null; // mean predicted MOS
  likeness: number | null; // mean likeness of the voice to the reference
}
interface SessionResults {
  votes: number;
  best: number | null; // index of the arm
  sure: boolean;
  preliminary: boolean | null;
  standings: { arm: number; share: number; low: number; high: number; votes: number; preliminary: boolean }[];
  pairs: SessionPair[];
  opinions: {
    arm: string; // index, or "anchor"
    mean: number;
    low: number | null;
    high: number | null;
    ratings: number;
    listeners: number;
  }[];
  contrasts: { first: number; second: number; difference: number; p: number; decided: boolean }[];
  agreement: number | null;
  scores: TakeScores[]; // of each arm; none before the first vote
  lines: { text: string; votes: LineVote[] }[];
  voted_at: number[];
  listeners: SessionListener[];
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

// Gradio's configuration of the page
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

// The global scope of an audio worklet
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
