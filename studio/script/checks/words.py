"""Compare the words of a take with the result of speech recognition."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.audio import active_frames, frame_length
from engines.types import Audio
from studio.ears.recogniser import NAME
from studio.ears.vocabulary import Comparison, TimedWord, Verdict
from studio.script.format.script import Outcome, TakeCheck
from studio.sentences import ended, sentence

EXTRA_DOUBT_S, EXTRA_FAIL_S = 0.25, 0.6  # seconds of sound outside of the words
NEAR_S = 0.06  # tolerance of a boundary
SHOWN = 4  # maximum number of words in a message
OUTCOMES: dict[Verdict, Outcome] = {"kept": "ok", "unsure": "doubt", "misheard": "fail", "missing": "fail"}
WEIGHTS: dict[Verdict, float] = {"kept": 1.0, "unsure": 0.8, "misheard": 0.0, "missing": 0.0}


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line with the words that are heard in its take."""

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
        """Return the share of the words that are heard; each added word is subtracted like a lost word."""
        verdicts = [WEIGHTS[finding.verdict] for finding in self.comparison.words]
        return max(0.0, sum(verdicts) - len(self.comparison.added)) / len(verdicts)


def hear_line(comparison: Comparison, audio: Audio) -> HeardLine:
    """Return a line with the length of the sound outside of its words."""
    return HeardLine(comparison, _extra_s(audio, comparison.timed))


def check_words(line: HeardLine) -> TakeCheck:
    """Check for missing, misheard and added words."""
    outcome, said = _said(line)
    heard = (
        f'Speech recognition heard: "{line.comparison.transcript.text}"'
        if line.comparison.transcript.words
        else "Speech recognition heard no words"
    )
    return TakeCheck(
        name="words", outcome=outcome, message=f"{ended(said)} {ended(heard)}", model=NAME, value=round(line.share, 3)
    )


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
    message = sentence("; ".join(said)) if said else "The first and last words are heard."
    value = min(line.comparison.words[place].evidence for place in (0, -1))
    return TakeCheck(name="edges", outcome=worst, message=message, model=NAME, value=round(value, 1))


def _said(line: HeardLine) -> tuple[Outcome, str]:
    found = line.comparison
    faults = [
        ("Missing: {}", _named(line, found.missing)),
        ("Heard {}", _misheard(line)),
        ("Added: {}", _quoted([one.heard.text.strip(".,;:!?") for one in found.added])),
    ]
    if any(words for _, words in faults):
        return "fail", ". ".join(form.format(words) for form, words in faults if words)
    if line.extra_s > EXTRA_FAIL_S:
        return "fail", f"{line.extra_s:.1f} s of sound that is not part of the words"
    if found.unsure:
        return "doubt", f"Not clearly heard: {_named(line, found.unsure)}"
    if line.extra_s > EXTRA_DOUBT_S:
        return "doubt", f"Possibly {line.extra_s:.1f} s of sound that is not part of the words"
    return "ok", "All words are heard"


def _named(line: HeardLine, places: Iterable[int]) -> str:
    return _quoted([line.words[place].word for place in places])


def _misheard(line: HeardLine) -> str:
    """Return each wrong word with the right one, such as `"brick" instead of "bridge"`."""
    found = (line.comparison.words[place] for place in line.comparison.misheard)
    return _joined(
        [
            f'"{one.heard}" instead of "{one.word.word}"' if one.heard else f'another word instead of "{one.word.word}"'
            for one in found
        ]
    )


def _extra_s(audio: Audio, words: Sequence[TimedWord]) -> float:
    """Return the seconds of sound outside of the words."""
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    active = active_frames(audio.samples, audio.sample_rate)
    at_s = (np.arange(len(active)) + 0.5) * frame_s
    for word in words:
        active = active & ~((at_s > word.start_s - NEAR_S) & (at_s < word.end_s + NEAR_S))
    return float(active.sum()) * frame_s


def _quoted(words: Sequence[str]) -> str:
    return _joined([f'"{word}"' for word in words])


def _joined(words: Sequence[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return ", ".join(words[:SHOWN]) + more
