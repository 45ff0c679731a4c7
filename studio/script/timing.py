"""Choose the requests whose takes fit the length limit of a line.

The length in a sheet is the length of the delivered file: the speech, and the silence that the delivery adds around it
(`edges_s`). The speech of a take is fitted to the length without that silence. The effect of the pace is known only roughly
(the embedded F5 is off by up to a fifth). Therefore a line is spoken again as long as the length improves, and the last
difference is removed by stretching.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from engines.errors import BadAudio
from engines.text import Pause, parse
from engines.types import Segment, Setting, Take
from studio.estimates import pace_of
from studio.order import Order
from studio.script.format.length_limit import LengthLimit, valid_limit
from studio.script.stretching import spoken_s, stretched

LEAST, MOST = 0.8, 1.25  # limits as shares of the natural length; outside, speech sounds hurried or drawn out
NEAR = 1e-3  # tolerance of a length, because lengths are measured in frames
ATTEMPTS = 4  # maximum number of takes, the first included
INAUDIBLE = 0.03  # stretching by at most this share is inaudible


def fitted(order: Order, cell: str, settings: Iterable[Setting], edges_s: float = 0.0) -> Generator[Order, Take, Take]:
    """Yield the orders to speak, receive the take of each, and return the take that fits best.

    `settings` are those of the order's engine. If no setting is the pace, the first take is stretched. The file has
    `edges_s` of silence before and after the speech together. If a limit needs less than LEAST or more than MOST of the
    natural length, the first take is kept, and `missed` reports it.
    """
    take = yield order
    whole = valid_limit(cell)
    limit = whole and whole.without(edges_s)
    if limit is None or not _is_due(limit, spoken_s(take.audio)):
        return take
    tried = [take]
    pace = pace_of(settings)
    while pace and len(tried) < ATTEMPTS and _may_improve(tried, limit):
        take = yield _again(order, _nearest(tried, limit), limit, pace)
        tried.append(take)
    return _exact(_nearest(tried, limit), limit)


def _is_due(limit: LengthLimit, natural_s: float) -> bool:
    if limit.holds(natural_s) or not natural_s:
        return False
    return LEAST - NEAR <= limit.length_s / natural_s <= MOST + NEAR


def _may_improve(tried: list[Take], limit: LengthLimit) -> bool:
    """Return True if another attempt may help: the last take is the best so far, but not good enough."""
    speech_s = spoken_s(tried[-1].audio)
    off = abs(speech_s / limit.aim_s - 1)
    return tried[-1] is _nearest(tried, limit) and off > INAUDIBLE and not limit.holds(speech_s)


def _nearest(tried: list[Take], limit: LengthLimit) -> Take:
    return min(tried, key=lambda take: abs(spoken_s(take.audio) - limit.aim_s))


def _again(order: Order, take: Take, limit: LengthLimit, pace: Setting) -> Order:
    """Return the order with the pace that gives the right length. The length of pauses does not change with the pace."""
    pauses_s = min(_inner_pauses_s(order.text), 0.9 * limit.aim_s, 0.9 * spoken_s(take.audio))
    now = take.request.settings.get(pace.name, 1.0 if pace.default is None else pace.default)
    wanted = now * (spoken_s(take.audio) - pauses_s) / (limit.aim_s - pauses_s)
    return replace(order, settings={**order.settings, pace.name: round(min(max(wanted, pace.least), pace.most), 3)})


def _inner_pauses_s(text: str) -> float:
    """Return the total length of pauses between words; pauses at the start and the end do not count."""
    parts = parse(text).parts
    said = [index for index, part in enumerate(parts) if not isinstance(part, Pause)]
    return sum(part.duration_s for part in parts[said[0] : said[-1]] if isinstance(part, Pause))


def _exact(take: Take, limit: LengthLimit) -> Take:
    if limit.holds(spoken_s(take.audio)):
        return take
    with suppress(BadAudio):  # without ffmpeg, the take stays unchanged, and `missed` reports it
        audio = stretched(take.audio, limit.aim_s)
        return replace(take, audio=audio, segments=_scaled(take.segments, audio.duration_s / take.audio.duration_s))
    return take


def _scaled(segments: Sequence[Segment], factor: float) -> tuple[Segment, ...]:
    """Return the segments with their times multiplied by `factor`."""
    return tuple(replace(each, start_s=each.start_s * factor, end_s=each.end_s * factor) for each in segments)
