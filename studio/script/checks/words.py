"""Check the words of a line in a take, by what the ears hear."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.audio import active_frames, frame_length
from engines.types import Audio
from studio.ears.recogniser import NAME
from studio.ears.vocabulary import Comparison, TimedWord, Verdict
from studio.script.script import Outcome, TakeCheck

EXTRA_DOUBT_S, EXTRA_FAIL_S = 0.25, 0.6  # seconds of sound outside of words
NEAR_S = 0.06  # tolerance of a boundary
SHOWN = 4  # words in a message
OUTCOMES: dict[Verdict, Outcome] = {"kept": "ok", "unsure": "doubt", "misheard": "fail", "missing": "fail"}
WEIGHTS: dict[Verdict, float] = {"kept": 1.0, "unsure": 0.8, "misheard": 0.0, "missing": 0.0}


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line as heard in the audio."""

    comparison: Comparison
    extra_s: float  # seconds of sound outside of the words

    @property
    def words(self) -> tuple[TimedWord, ...]:
        return self.comparison.timed

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return the outcome of each word."""
        return tuple(OUTCOMES[finding.verdict] for finding in self.comparison.words)

    @property
    def share(self) -> float:
        """Return the share of the words that are heard; an added word counts as a lost one."""
        verdicts = [WEIGHTS[finding.verdict] for finding in self.comparison.words]
        return max(0.0, sum(verdicts) - len(self.comparison.added)) / len(verdicts)


def hear_line(comparison: Comparison, audio: Audio) -> HeardLine:
    """Return a line with the sound outside of its words."""
    return HeardLine(comparison, _extra_s(audio, comparison.timed))


def check_words(line: HeardLine) -> TakeCheck:
    """Check for missing, wrong or additional words."""
    outcome, said = _said(line)
    heard = f'Heard: "{line.comparison.transcript.text}"' if line.comparison.transcript.words else "Nothing was heard"
    return TakeCheck(name="words", outcome=outcome, message=f"{said}. {heard}.", model=NAME, value=round(line.share, 3))


def check_edges(line: HeardLine) -> TakeCheck:
    """Check the first and the last word, which engines lose most often."""
    worst: Outcome = "ok"
    said = []
    for place, which in ((0, "first"), (-1, "last")):
        outcome = line.outcomes[place]
        if outcome != "ok":
            worst = "fail" if "fail" in (worst, outcome) else "doubt"
            how = "is not heard" if outcome == "fail" else "is not clearly heard"
            said.append(f'the {which} word, "{line.words[place].word}", {how}')
    message = _sentence("; ".join(said)) if said else "The first and last words are heard."
    value = min(line.comparison.words[place].evidence for place in (0, -1))
    return TakeCheck(name="edges", outcome=worst, message=message, model=NAME, value=round(value, 1))


def _said(line: HeardLine) -> tuple[Outcome, str]:
    found = line.comparison
    faults = [
        ("Missing: {}", _named(line, found.missing)),
        ("Another word is heard for {}", _named(line, found.misheard)),
        ("Added: {}", _quoted([one.heard.text.strip(".,;:!?") for one in found.added])),
    ]
    if any(words for _, words in faults):
        return "fail", ". ".join(form.format(words) for form, words in faults if words)
    if line.extra_s > EXTRA_FAIL_S:
        return "fail", f"{line.extra_s:.1f} s of sound is not a word of the line"
    if found.unsure:
        return "doubt", f"Not clearly heard: {_named(line, found.unsure)}"
    if line.extra_s > EXTRA_DOUBT_S:
        return "doubt", f"{line.extra_s:.1f} s of sound may not be a word of the line"
    return "ok", "All words are heard"


def _named(line: HeardLine, places: Iterable[int]) -> str:
    return _quoted([line.words[place].word for place in places])


def _extra_s(audio: Audio, words: Sequence[TimedWord]) -> float:
    """Return the seconds of sound outside of the words."""
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    active = active_frames(audio.samples, audio.sample_rate)
    at_s = (np.arange(len(active)) + 0.5) * frame_s
    for word in words:
        active = active & ~((at_s > word.start_s - NEAR_S) & (at_s < word.end_s + NEAR_S))
    return float(active.sum()) * frame_s


def _quoted(words: Sequence[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(f'"{word}"' for word in words[:SHOWN]) + more


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
