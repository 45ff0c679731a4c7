/** Changes of a sheet's lines: what they make of a line, and what takes them back. */

/** States of a line that its marks decide. @type {LineStatus[]} */
const MARKED = ["made", "select", "hold", "retake"];

/** The line after a change; itself where the change is not about it. @param {ScriptLine} line @param {SheetChange} change @returns {ScriptLine} */
export function applied(line, change) {
  let after = line;
  for (const { line: key, column, value } of change.cells ?? [])
    if (key === line.key) after = { ...after, cells: after.cells.with(column, value) };
  for (const mark of change.marks ?? [])
    if (mark.line === line.key) after = { ...after, takes: after.takes.map((take) => marked(take, mark)) };
  if (change.delete?.includes(line.key)) after = { ...after, deleted: true };
  const back = change.restore?.includes(line.key) || change.add?.some(({ key }) => key === line.key);
  return back ? { ...after, deleted: false } : after;
}

/** A line that the studio does not have yet. @param {NewLine} line @returns {ScriptLine} */
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

/** One take of a line is its select. @param {LineTake} take @param {NonNullable<SheetChange["marks"]>[number]} change */
function marked(take, { take: id, mark, comment }) {
  if (take.id !== id)
    return mark === "select" && take.mark === "select" ? { ...take, mark: /** @type {Mark} */ ("") } : take;
  return { ...take, ...(mark !== undefined && { mark }), ...(comment !== undefined && { comment }) };
}

/**
 * The change with what each of its cells said to whoever made it.
 * @param {SheetChange} change @param {ReadonlyMap<string, ScriptLine>} lines @returns {SheetChange}
 */
export function seen(change, lines) {
  if (!change.cells) return change;
  const cells = change.cells.map((cell) => ({ before: lines.get(cell.line)?.cells[cell.column], ...cell }));
  return { ...change, cells };
}

/** Keys of the lines that a change is about. @param {SheetChange} change */
export function touched({ cells = [], marks = [], delete: gone = [], restore = [], add = [] }) {
  const edited = [...cells, ...marks].map(({ line }) => line);
  return new Set([...edited, ...gone, ...restore, ...add.map(({ key }) => key)]);
}

/**
 * What takes a change back, given the lines as they are before it.
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

/** @param {NonNullable<SheetChange["marks"]>[number]} change @param {ScriptLine | undefined} line */
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

/** The take with the latest mark. @param {LineTake[]} takes */
function latest(takes) {
  return takes.filter(({ mark }) => mark).toSorted((one, other) => other.marked - one.marked)[0];
}

/**
 * Whether this mark on the take decides the line's state; a later mark on another take may have replaced it.
 * @param {ScriptLine} line @param {LineTake} take @param {Mark} mark
 */
export function decides(line, take, mark) {
  const follows = MARKED.includes(line.status); // a stale line, for example, has its state from something else
  return take.mark === mark && (!mark || !follows || line.status === mark);
}

/**
 * Of what takes a change back, that which is still as the change left it.
 * @param {SheetChange} back @param {SheetChange} forth @param {ReadonlyMap<string, ScriptLine>} lines @returns {SheetChange}
 */
export function standing(back, forth, lines) {
  if (!back.cells) return back;
  const stands = (/** @type {number} */ at) => {
    const { line, column, value } = /** @type {NonNullable<SheetChange["cells"]>} */ (forth.cells)[at];
    return lines.get(line)?.cells[column] === value;
  };
  return { ...back, cells: back.cells.filter((_, at) => stands(at)) };
}

/** The change without what would change nothing; null where nothing is left. @param {SheetChange} change @param {ReadonlyMap<string, ScriptLine>} lines */
export function effective(change, lines) {
  const cells = change.cells?.filter(({ line, column, value }) => (lines.get(line)?.cells[column] ?? "") !== value);
  const marks = change.marks?.filter(({ line, take: id, mark, comment }) => {
    const here = lines.get(line);
    const take = here?.takes.find((one) => one.id === id);
    if (!here || !take) return false;
    return (mark !== undefined && !decides(here, take, mark)) || (comment ?? take.comment) !== take.comment;
  });
  const left = { ...change, ...(cells && { cells }), ...(marks && { marks }) };
  return touched(left).size ? left : null;
}
