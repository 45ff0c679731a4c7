"""Reports on the speech of programs: which words of a line are heard, for an event or a header of the answer."""

import json
import math
from typing import Any

from engines.types import Take
from studio.ears.ears import Ears, EarsFailed
from studio.hearing.heard_take import HEARD_WITHOUT_WORDS, Heard, hear_take

HEADER_BYTES = 4_000  # proxies often limit all headers together to 8 kB
LISTED = (40, 20, 10, 5, 2, 0)  # findings of each kind in a header; the first number that fits is used
LISTS = ("missing", "misheard", "added", "unsure")
UNSURE = 0.1  # weight of a word that is not clearly heard
MESSAGE_MAX = 200  # characters
SHOWN = ("word", "heard", "index", "start_s", "end_s", "repeats")


def report_on(ears: Ears, take: Take) -> Heard:
    """Return what is heard in a take, and the number of kept words. `complete` is None if the take is not heard."""
    try:
        heard = ears.ask(hear_take, take.request.text, take.audio, take.request.language, take.segments)
    except EarsFailed as error:
        heard = {**HEARD_WITHOUT_WORDS, "message": str(error)}
    wrong = sum(len(heard[name]) for name in ("missing", "misheard", "unsure"))
    return {"complete": heard["complete"], "kept": len(heard["words"]) - wrong, **heard}


def lost_words(report: Heard) -> tuple[float, int]:
    """Return how many words are lost, then how many faults the audio has: a smaller result is a better take."""
    if report.get("complete") is None:
        return math.inf, 0
    lost = sum(len(report[name]) for name in ("missing", "misheard", "added"))
    unknown = not lost and not report["complete"]  # silent, damaged, or too short for its words
    return math.inf if unknown else lost + UNSURE * len(report["unsure"]), len(report["faults"])


def as_header(report: Heard) -> str:
    """Return a report as JSON in ASCII of at most HEADER_BYTES. `left_out` counts findings without space."""
    return next(written for most in LISTED if len(written := _compact(report, most)) <= HEADER_BYTES)


def _compact(report: Heard, most: int) -> str:
    """Return a report with at most this number of findings of each kind, without the times of kept words."""
    listed: dict[str, Any] = {name: [_shown(one) for one in report[name][:most]] for name in LISTS}
    listed["faults"] = [one["name"] for one in report["faults"][:most]]
    left_out = sum(len(report[name]) - len(found) for name, found in listed.items())
    counted = {"left_out": left_out} if left_out else {}
    first = {name: report[name] for name in ("complete", "kept", "takes") if name in report}
    return json.dumps({**first, **listed, **counted, "message": report["message"][:MESSAGE_MAX]}, separators=(",", ":"))


def _shown(finding: dict[str, Any]) -> dict[str, Any]:
    return {name: finding[name] for name in SHOWN if name in finding}
