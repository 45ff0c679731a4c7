"""Compare the words of a take with the words that are expected.

Words are matched by sound first. Where they differ, the recogniser scores both versions of the line: the difference of their
log likelihoods says which one the audio supports. Half the difference without audio is subtracted, because the recogniser
prefers usual sentences (the factor corrects the language model inside the recogniser: McDermott et al. 2019).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.types import Audio
from studio.ears.dictionary import known
from studio.ears.differences import Difference, differences
from studio.ears.division import Part, divide
from studio.ears.listening import listen
from studio.ears.placing import place_words
from studio.ears.recogniser import Recogniser, ScoredWord
from studio.ears.repeats import repeated
from studio.ears.tempo import FROM_WORDS, paces
from studio.ears.vocabulary import AddedWord, Comparison, TimedWord, Transcript, TypedWord, Verdict, WordFinding

# Measured by `python -m bench.hearing`, tuned on the clips of assets/voices.
LIKE, UNLIKE = 0.3, 0.4  # share of different phones: below, the word is kept; above, it may be another word
UNLIKE_NAME = 0.6  # of words that the dictionary lacks, whose sound is a guess
AGAINST = -2.0  # evidence below which a word was replaced
AGAINST_FUNCTION = -8.0  # of words such as "the", which the recogniser often confuses
GONE = 3.0  # evidence below which a word that is not heard is missing
ADDED = -4.0  # evidence below which a word that is heard in addition was spoken
STRONGLY_AGAINST = -2.5  # evidence below which a word was replaced by a similar one
LOW, VERY_LOW = -3.5, -4.8  # mean log probability of a token, of words that the audio hardly or does not support
# Pace below which a word is too short; the last word is often cut off, and then missing below LOST_LAST.
SHORT, SHORT_LAST, LOST_LAST = 0.35, 0.55, 0.42
LONG = 1.4  # pace above which a word may be spoken twice
PRIOR = 0.5
SHORT_WORDS = """
a an the of to in on at and or but is was were are be been it its he she we you i my me his her our your that this for with by
as so if had has have do did not no them they from up then than there when who will would can could
"""
FUNCTION = frozenset(SHORT_WORDS.split())


@dataclass(frozen=True, slots=True)
class Judged:
    """A difference between the expected and the heard words, and the evidence for the expected ones."""

    difference: Difference
    evidence: float
    last: bool = False  # True if no expected word follows; then a lost word changes no later word


def compare(recogniser: Recogniser, audio: Audio, words: Sequence[TypedWord]) -> Comparison:
    """Return the verdict on each expected word, and the words that are added. There is at least one expected word."""
    passages = listen(recogniser, audio)
    parts = divide(words, passages)
    results = [_judged(recogniser, part) for part in parts]
    timed = place_words(audio, words, parts, [scored for scored, _ in results])
    findings = {place: WordFinding(word=word, verdict="kept", evidence=0.0) for place, word in enumerate(timed)}
    added: list[AddedWord] = []
    for part, (scored, judged) in zip(parts, results, strict=True):
        _note_unlikely(findings, part, scored)
        _note_short(findings, part)
        for one in judged:
            _note(findings, words, part, one)
            added += _added(part, one)
        heard_twice = {one.place for one in added}
        for token, copy in repeated(recogniser, part, _slow(part, timed)):
            if findings[token.place].verdict == "kept" and not {token.place, token.place + 1} & heard_twice:
                added.append(AddedWord(heard=copy, place=token.place + 1, repeats=True))
    heard = Transcript(words=tuple(word for passage in passages for word in passage.words))
    return Comparison(words=tuple(findings.values()), added=tuple(added), transcript=heard)


def _judged(recogniser: Recogniser, part: Part) -> tuple[tuple[ScoredWord, ...], list[Judged]]:
    """Score the expected line and one version for each difference."""
    found = differences(part, LIKE)
    if not part.expected:
        return (), [Judged(one, ADDED - 1.0) for one in found]
    lines = [part.line, *(one.applied(part) for one in found)]
    heard = recogniser.score(part.passage.encoded, lines)
    with_audio = [_total(words) for words in heard]
    without = [_total(words) for words in recogniser.score_unheard(lines)] if found else []
    return heard[0], [
        Judged(
            one,
            with_audio[0] - with_audio[at] - PRIOR * (without[0] - without[at]),
            one.end == len(part.expected),
        )
        for at, one in enumerate(found, 1)
    ]


def _total(words: Sequence[ScoredWord]) -> float:
    return sum(sum(word.logs) for word in words)


def _note(findings: dict[int, WordFinding], words: Sequence[TypedWord], part: Part, judged: Judged) -> None:
    """Store the verdict on the words of a difference."""
    one = judged.difference
    heard = " ".join(token.text for token in part.heard[one.heard_start : one.heard_end])
    for place in sorted({token.place for token in part.expected[one.start : one.end]}):
        verdict = _verdict(words[place], judged)
        if verdict != "kept":
            timed = findings[place].word
            findings[place] = WordFinding(word=timed, verdict=verdict, evidence=round(judged.evidence, 2), heard=heard)


def _verdict(word: TypedWord, judged: Judged) -> Verdict:
    one, function = judged.difference, set(word.spoken) <= FUNCTION
    if one.heard_start == one.heard_end:
        limit = AGAINST_FUNCTION if function else GONE
        return "missing" if judged.evidence < limit or (judged.last and not function) else "unsure"
    if one.unlike <= LIKE:
        return "kept"
    named = not all(known(spoken) for spoken in word.spoken) or word.typed.lower() != " ".join(word.spoken)
    if one.unlike <= (UNLIKE_NAME if named else UNLIKE):
        return "misheard" if judged.evidence < STRONGLY_AGAINST and not (named or function) else "unsure"
    return "misheard" if judged.evidence < (AGAINST_FUNCTION if function else AGAINST) else "unsure"


def _note_unlikely(findings: dict[int, WordFinding], part: Part, scored: Sequence[ScoredWord]) -> None:
    """Doubt words that are heard although the recogniser finds them unlikely at their place."""
    for token, word in zip(part.expected, scored, strict=True):
        finding = findings[token.place]
        if word.log < LOW and finding.verdict == "kept" and token.spoken not in FUNCTION and known(token.spoken):
            verdict: Verdict = "misheard" if word.log < VERY_LOW else "unsure"
            findings[token.place] = replace(finding, verdict=verdict, evidence=round(word.log, 2))


def _slow(part: Part, timed: Sequence[TimedWord]) -> list[int]:
    """Return the tokens that may be spoken twice: content words that last long, or are beside a word that does."""
    pace = dict(zip(part.written, paces([timed[place] for place in part.written]), strict=True))
    slow = {near for place, one in pace.items() if one > LONG for near in (place - 1, place, place + 1)}
    return [at for at, token in enumerate(part.expected) if token.place in slow and token.spoken not in FUNCTION]


def _note_short(findings: dict[int, WordFinding], part: Part) -> None:
    """Doubt words that have too little time; such a last word is missing."""
    written = part.written
    common = {token.place for token in part.expected if token.spoken in FUNCTION}
    for place, pace in zip(written, paces([findings[place].word for place in written]), strict=True):
        last = place == written[-1]
        if findings[place].verdict == "kept" and place not in common and pace < (SHORT_LAST if last else SHORT):
            verdict: Verdict = "missing" if last and pace < LOST_LAST and len(written) >= FROM_WORDS else "unsure"
            findings[place] = replace(findings[place], verdict=verdict, evidence=round(float(np.log(pace + 1e-3)), 2))


def _added(part: Part, judged: Judged) -> Iterator[AddedWord]:
    """Yield the words of a difference that has only heard words."""
    one = judged.difference
    if one.start != one.end or judged.evidence >= ADDED:
        return
    place = (
        part.expected[one.start].place
        if one.start < len(part.expected)
        else len(part.written) + min(part.written, default=0)
    )
    before = {token.spoken for token in part.expected[max(0, one.start - 3) : one.start + 3]}
    for index in sorted({token.place for token in part.heard[one.heard_start : one.heard_end]}):
        spoken = {token.spoken for token in part.heard if token.place == index}
        yield AddedWord(heard=part.passage.words[index], place=place, repeats=spoken <= before)
