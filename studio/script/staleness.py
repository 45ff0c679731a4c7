"""Why a take is stale: how it differs from what would be made of its line now."""

from collections.abc import Sequence

from studio.script.planning import LineReading
from studio.script.script import LineTake
from studio.script.timing import is_limit


def stale_reason(take: LineTake, readings: Sequence[LineReading]) -> str:
    """Return what changed since the take was made. The take must be stale."""
    reading = next((each for each in readings if each.voice == take.voice), None)
    if reading is None:
        return "another voice"
    if take.written and take.written != reading.written:
        return "text changed"
    if reading.order.text != take.text:
        return "lexicon changed" if take.written else "text changed"
    if reading.order.engine != take.engine:
        return "another engine"
    if reading.order.version != take.version:
        return "the voice changed"
    return "settings or length changed" if is_limit(reading.limit) else "settings changed"


def written_text(take: LineTake, readings: Sequence[LineReading]) -> str:
    """Return what the take says as it was written. Of takes that did not keep it, the lexicon's spelling may be returned."""
    current = next((each.written for each in readings if each.order.text == take.text), "")
    return take.written or current or take.text
