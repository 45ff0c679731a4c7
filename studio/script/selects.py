"""The selects of a sheet: determine which are stale, and which a delivery contains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import BadInput, EngineError
from studio.errors import Conflict
from studio.script.format.script import LineTake, ScriptLine, Sheet, cell
from studio.script.identity import line_id
from studio.script.planning import LineReading, Readings, deciding, fresh, renewed
from studio.script.staleness import sentence

# The rule for stale selects: refuse the delivery, make and select new takes, deliver the old takes, or leave the lines out.
StaleRule = Literal["refuse", "render", "deliver", "leave_out"]
NAMED = 3  # maximum number of lines in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class Select:
    """A line with its selected take."""

    line: ScriptLine
    name: str  # the line's id, or its key if it has none
    take: LineTake
    written: str  # the text of the take as written
    mark: Literal["", "hold", "retake"] = ""  # the mark of another take, if it was given after the select
    why: str = ""  # the changes since the take was made; "" if the select is not stale
    renewed: LineTake | None = None  # the fresh take that can replace a stale select


class StaleSelects(Conflict):
    """Selects are stale, and the delivery has no rule for them."""

    def __init__(self, stale: str, advice: str) -> None:
        """Say which selects are stale, and what can be done."""
        super().__init__(f"{stale}; {advice}")
        self.stale = stale


def selects_of(sheet: Sheet, readings: Readings) -> Sequence[Select]:
    """Return the selects of the lines that are not deleted, in the order of the sheet."""
    return list(_selects(sheet, readings))


def delivered_selects(sheet: Sheet, readings: Readings, rule: StaleRule) -> Sequence[Select]:
    """Return the selects for a delivery. Raises StaleSelects, and BadInput if no select is left."""
    selects = selects_of(sheet, readings)
    if not selects:
        raise BadInput("no take is selected yet; in each line, mark the take to deliver as select")
    stale = [select for select in selects if select.why]
    if stale and rule in ("refuse", "render"):
        raise _refusal(stale, rule)
    kept = [select for select in selects if rule == "deliver" or not select.why]
    if not kept:
        raise BadInput(
            "all selected takes are stale, so nothing is left to deliver; render the sheet and select new takes"
        )
    return kept


def proposed(takes: Sequence[LineTake]) -> LineTake | None:
    """Return the best take: one that passed its checks before one that failed, then by score."""
    return max(takes, key=lambda take: (not take.failed, take.score or 0.0, -take.number), default=None)


def selected(takes: Sequence[LineTake]) -> LineTake | None:
    """Return the selected take, or None."""
    return next((take for take in takes if take.mark == "select"), None)


def _selects(sheet: Sheet, readings: Readings) -> Iterator[Select]:
    for line in sheet.lines:
        take = None if line.deleted else selected(line.takes)
        if take is None:
            continue
        spoken, why = _readable(sheet, line, readings)
        is_stale = take not in fresh(line, spoken)
        decided = deciding(fresh(line, spoken))
        yield Select(
            line=line,
            mark=decided.mark if decided and decided.mark != "select" else "",
            name=line_id(sheet, line),
            take=take,
            written=_written(take, spoken),
            why=(why or sentence(take, spoken)) if is_stale else "",
            renewed=proposed(renewed(line, spoken)) if is_stale else None,
        )


def _readable(sheet: Sheet, line: ScriptLine, readings: Readings) -> tuple[Sequence[LineReading], str]:
    """Return the readings of a line, and the reason if there are none."""
    try:
        spoken = readings.of(sheet, line)
    except EngineError as error:
        return (), str(error)
    if not spoken and not cell(sheet, line, "text"):
        return (), "the line has no text"
    return spoken, ""


def _written(take: LineTake, readings: Sequence[LineReading]) -> str:
    """Return the text of the take without the lexicon. For takes of older studios, the lexicon may be applied."""
    current = next((each.written for each in readings if each.order.text == take.text), "")
    return take.written or current or take.text


def _refusal(stale: Sequence[Select], rule: StaleRule) -> StaleSelects:
    more = len(stale) - NAMED
    names = ", ".join(select.name for select in stale[:NAMED]) + (f" and {more} more" if more > 0 else "")
    are = "1 selected take is" if len(stale) == 1 else f"{len(stale)} selected takes are"
    if rule == "render":
        why = next(select.why for select in stale)
        return StaleSelects(
            f"{are} still stale after the render ({names}: {why})",
            "correct the lines, deliver anyway, or leave these lines out",
        )
    them = "this line" if len(stale) == 1 else "these lines"
    advice = f"render again and use the new takes, deliver anyway, or leave {them} out"
    return StaleSelects(f"{are} stale ({names})", advice)
