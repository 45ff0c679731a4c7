/** Changes of a sheet's lines: their effect on a line, and the change that undoes them. */

/** @typedef {NonNullable<SheetChange["marks"]>[number]} MarkChange */

/** @type {Mark} */
const none = "";
/** Statuses that follow from the marks of a line. @type {LineStatus[]} */
const MARKED = ["made", "select", "hold", "retake"];

/**
 * Return the line after a change; the same object if the change does not affect it.
 * @param {ScriptLine} line @param {SheetChange} change @returns {ScriptLine}
 */
export function applied(line, change) {
  let after = line;
  for (const { line: key, column, value } of change.cells ?? [])
    if (key === line.key) after = { ...after, cells: after.cells.with(column, value) };
  for (const mark of change.marks ?? []) if (mark.line === line.key) after = withMark(after, mark);
  if (change.delete?.includes(line.key)) after = { ...after, deleted: true };
  const back = change.restore?.includes(line.key) || change.add?.some(({ key }) => key === line.key);
  return back ? { ...after, deleted: false } : after;
}

/** Return a new line that the studio has not saved yet. @param {NewLine} line @returns {ScriptLine} */
export function added({ key, cells }) {
  return {
    key,
    cells,
    deleted: false,
    status: "empty",
    why: "",
    changed: [],
    due: false,
    estimate_s: null,
    directions: [],
    takes: [],
    events: [],
  };
}

/**
 * Return the line with a mark or note that the studio has not saved yet.
 * @param {ScriptLine} line @param {MarkChange} change @returns {ScriptLine}
 */
function withMark(line, change) {
  const last = Math.max(0, ...line.takes.map((take) => take.marked ?? 0));
  const after = { ...line, unsaved: true, takes: line.takes.map((take) => marked(take, change, last + 1)) };
  const status = change.mark === undefined ? line.status : predictedStatus(after);
  return status === line.status ? after : { ...after, status, why: "" };
}

/**
 * Return a take after a mark was set in its line. A line has only one select.
 * @param {LineTake} take @param {MarkChange} change @param {number} place  order of the mark
 */
function marked(take, { take: id, mark, comment }, place) {
  if (take.id !== id) return mark === "select" && take.mark === "select" ? { ...take, mark: none, marked: 0 } : take;
  return {
    ...take,
    ...(mark !== undefined && { mark, marked: mark ? place : 0 }),
    ...(comment !== undefined && { comment }),
  };
}

/**
 * Return the status that the marks probably give the line. It is shown until the studio sends the status.
 * @param {ScriptLine} line @returns {LineStatus}
 */
function predictedStatus({ status, takes }) {
  const select = takes.find(({ mark }) => mark === "select");
  const current = takes.filter(({ stale }) => !stale);
  if (status === "empty" || (select ? select.stale : !current.length)) return status;
  const mark = latest(current)?.mark;
  if (mark) return mark;
  return MARKED.includes(status) ? "made" : status;
}

/**
 * Return the change with the text that each cell had when the user changed it.
 * @param {SheetChange} change @param {ReadonlyMap<string, ScriptLine>} lines @returns {SheetChange}
 */
export function withSeenCells(change, lines) {
  if (!change.cells) return change;
  const cells = change.cells.map((cell) => ({ before: lines.get(cell.line)?.cells[cell.column], ...cell }));
  return { ...change, cells };
}

/** Return the keys of the lines that a change affects. @param {SheetChange} change */
export function affectedLines({ cells = [], marks = [], delete: gone = [], restore = [], add = [] }) {
  const edited = [...cells, ...marks].map(({ line }) => line);
  return new Set([...edited, ...gone, ...restore, ...add.map(({ key }) => key)]);
}

/**
 * Return the change that undoes a change.
 * @param {SheetChange} change @param {ReadonlyMap<string, ScriptLine>} lines @returns {SheetChange}
 */
export function inverse(change, lines) {
  /** @type {SheetChange} */
  const back = {};
  if (change.cells)
    back.cells = change.cells.map(({ line, column }) => ({
      ...{ line, column, value: lines.get(line)?.cells[column] ?? "" },
    }));
  if (change.marks) back.marks = change.marks.flatMap((mark) => unmarked(mark, lines.get(mark.line)));
  if (change.delete) back.restore = change.delete;
  if (change.restore) back.delete = change.restore;
  if (change.add) back.delete = [...(back.delete ?? []), ...change.add.map(({ key }) => key)];
  return back;
}

/** @param {MarkChange} change @param {ScriptLine | undefined} line */
function unmarked({ take: id, mark, comment }, line) {
  const before = line?.takes.find((take) => take.id === id);
  if (!line || !before) return [];
  const back = { line: line.key, take: id };
  const was = {
    ...(mark !== undefined && { mark: before.mark }),
    ...(comment !== undefined && { comment: before.comment }),
  };
  const select = line.takes.find((take) => take.mark === "select");
  const again = mark === before.mark ? latest(line.takes) : mark === "select" ? select : undefined;
  if (!again || again.id === id) return [{ ...back, ...was }];
  return [
    { ...back, ...was },
    { ...back, take: again.id, mark: again.mark },
  ];
}

/** Return the take with the latest mark. @param {LineTake[]} takes */
function latest(takes) {
  return takes.filter(({ mark }) => mark).toSorted((one, other) => other.marked - one.marked)[0];
}

/**
 * Return true if this mark on the take determines the line's status. A later mark on another take may have replaced it.
 * @param {ScriptLine} line @param {LineTake} take @param {Mark} mark
 */
export function decides(line, take, mark) {
  const follows = MARKED.includes(line.status); // the status of a stale line, for example, does not follow from marks
  return take.mark === mark && (!mark || !follows || line.status === mark);
}

/**
 * Return the part of an undo change whose cells still have the value that the change gave them.
 * @param {SheetChange} back
 * @param {SheetChange} forth
 * @param {ReadonlyMap<string, ScriptLine>} lines
 * @returns {SheetChange}
 */
export function stillValid(back, forth, lines) {
  if (!back.cells) return back;
  const stands = (/** @type {number} */ at) => {
    const { line, column, value } = /** @type {NonNullable<SheetChange["cells"]>} */ (forth.cells)[at];
    return lines.get(line)?.cells[column] === value;
  };
  return { ...back, cells: back.cells.filter((_, at) => stands(at)) };
}

/**
 * Return the change without parts that have no effect; null if no part is left.
 * @param {SheetChange} change @param {ReadonlyMap<string, ScriptLine>} lines
 */
export function effective(change, lines) {
  const cells = change.cells?.filter(({ line, column, value }) => (lines.get(line)?.cells[column] ?? "") !== value);
  const marks = change.marks?.filter(({ line, take: id, mark, comment }) => {
    const here = lines.get(line);
    const take = here?.takes.find((one) => one.id === id);
    if (!here || !take) return false;
    return (mark !== undefined && !decides(here, take, mark)) || (comment ?? take.comment) !== take.comment;
  });
  const left = { ...change, ...(cells && { cells }), ...(marks && { marks }) };
  return affectedLines(left).size ? left : null;
}
