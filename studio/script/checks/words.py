"""Find the words of a line in a take.

Each word is judged by how much worse the line's phones fit the audio than the best phones without a text (goodness of
pronunciation: Witt and Young 2000), and compared with the words that the recogniser hears freely.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.audio import active_frames, frame_length
from engines.types import Audio
from studio.script.checks.alignment import grouped, timed
from studio.script.checks.recogniser import NAME, FramedWord, Recogniser, pcm
from studio.script.checks.wording import TypedWord, spoken_words, typed_words
from studio.script.script import Outcome, TakeCheck, TimedWord

# Fit per frame in the recogniser's unit, at best 0. Of the 192 words of the clips in assets/voices, one in 8 is below DOUBT,
# one in 28 below MISSING; each of 15 lines compared with another clip has a word below MISSING.
DOUBT, MISSING = -32.0, -45.0
SHORT_PHONES, SHORT_MISSING = 3, -62.0  # words with so few phones may fit badly by chance
EXTRA_DOUBT_S, EXTRA_FAIL_S = 0.25, 0.6  # seconds of sound outside of words
NEAR_S = 0.06  # tolerance of a boundary
OPEN_FROM, OPEN_RIGHT = 5, 0.4  # least words of a line for free recognition, and the share that should be recognised
SHOWN = 4  # words in a message
ROUGH = "the recogniser is wrong about one in five words"


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line as found in the audio."""

    words: tuple[TimedWord, ...]
    fits: tuple[float, ...]  # of each word
    agreed: tuple[bool, ...]  # True for words that the recogniser also hears without the script
    extra_s: float  # seconds of sound outside of the words
    heard: tuple[str, ...]  # words that are heard without knowing the line

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Return the outcome of each word; a word that the recogniser also hears without the script is judged less strictly."""
        measured = zip(self.words, self.fits, self.agreed, strict=True)
        return tuple(_judged(fit, len(word.phones), agreed) for word, fit, agreed in measured)


def listen(recogniser: Recogniser, audio: Audio, text: str, written: str = "") -> HeardLine | None:
    """Find a line in the audio; None if that is impossible. The words are those of `written`, before the lexicon."""
    words, sound = typed_words(text, written), pcm(audio)
    found = recogniser.align(sound, [spoken for word in words for spoken in word.spoken])
    if not found:
        return None
    times = timed(words, found, audio.duration_s)
    heard = recogniser.hear(sound)
    agreed = tuple(set(word.spoken) <= set(heard) for word in words)
    return HeardLine(times, _fits(words, found, recogniser, sound), agreed, _extra_s(audio, times), heard)


def check_words(line: HeardLine, text: str) -> TakeCheck:
    """Check for missing, wrong or additional words."""
    outcome, said = _words_said(line, text)
    heard = f'Recognised without the script: "{" ".join(line.heard)}"' if line.heard else "Nothing was recognised"
    return TakeCheck(
        name="words", outcome=outcome, message=f"{said}. {heard} ({ROUGH}).", model=NAME, value=round(min(line.fits), 1)
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
    message = _sentence("; ".join(said)) if said else "The first and last words are heard."
    return TakeCheck(
        name="edges", outcome=worst, message=message, model=NAME, value=round(min(line.fits[0], line.fits[-1]), 1)
    )


def _judged(fit: float, phones: int, agreed: bool) -> Outcome:
    if fit < (SHORT_MISSING if phones <= SHORT_PHONES else MISSING):
        return "doubt" if agreed else "fail"
    return "ok" if fit >= DOUBT or agreed else "doubt"


def _words_said(line: HeardLine, text: str) -> tuple[Outcome, str]:
    named: dict[Outcome, list[str]] = {"ok": [], "doubt": [], "fail": []}
    for word, outcome in zip(line.words, line.outcomes, strict=True):
        named[outcome].append(word.word)
    if named["fail"]:
        return "fail", f"Missing or wrong: {_quoted(named['fail'])}"
    if line.extra_s > EXTRA_FAIL_S:
        return "fail", f"{line.extra_s:.1f} s of sound is not a word of the line"
    if named["doubt"]:
        return "doubt", f"Not clearly heard: {_quoted(named['doubt'])}"
    if line.extra_s > EXTRA_DOUBT_S:
        return "doubt", f"{line.extra_s:.1f} s of sound may not be a word of the line"
    wanted = spoken_words(text)
    if len(wanted) >= OPEN_FROM and _alike(wanted, line.heard) < OPEN_RIGHT:
        return "doubt", "All words may be there, but the recogniser heard other words"
    return "ok", "All words are heard"


def _alike(wanted: Sequence[str], heard: Sequence[str]) -> float:
    """Return the share of the wanted words that are heard in order."""
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, wanted, heard, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted)


def _fits(
    words: Sequence[TypedWord], found: Sequence[FramedWord], recogniser: Recogniser, sound: bytes
) -> tuple[float, ...]:
    free = recogniser.free_scores(sound)

    def fit(part: FramedWord) -> float:
        best = free[part.start : part.start + part.length]
        return part.score / part.length - float(best.mean()) if len(best) else 0.0

    return tuple(min(fit(part) for part in parts) for _, parts in grouped(words, found))


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
