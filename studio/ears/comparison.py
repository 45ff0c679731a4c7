"""Compare the words of a take with the expected words.

Words are matched by sound first. Where they differ, the recogniser scores two versions of the line: with the expected words and
with the heard words. The evidence is the difference of the log likelihoods. Half of the difference without audio is
subtracted, because the recogniser prefers usual sentences (the factor corrects the language model inside the recogniser:
McDermott et al. 2019).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engines.text.language_tags import ENGLISH, subtags
from engines.types import Audio
from studio.ears.differences import Difference, differences
from studio.ears.division import Part, divide
from studio.ears.last_sentence import ENDS, maybe_spoken
from studio.ears.listening import listen
from studio.ears.placing import place_words
from studio.ears.recogniser import Recogniser, ScoredWord
from studio.ears.repeats import repeated
from studio.ears.support import doubtful, supports, total
from studio.ears.tempo import FROM_WORDS, length_ratios
from studio.ears.verdicts import BARK_WORDS, FUNCTION, Judged, is_plain, judge
from studio.ears.vocabulary import AddedWord, Comparison, Transcript, TypedWord, Verdict, WordFinding

# Measured by `python -m bench.hearing`, tuned on the clips of assets/voices.
LIKE = 0.3  # words with a smaller share of different phones are kept
# Extra words count as spoken if the evidence is below ADDED, or below ADDED_AGAIN if they repeat the words beside them.
ADDED, ADDED_AGAIN = -4.0, -2.0
# A word whose mean log probability per token is below LOW is unsure; below VERY_LOW, misheard.
LOW, VERY_LOW = -3.5, -4.8
# Words with a lower length ratio (tempo.py) are too short. The last word is often cut off; below LOST_LAST it is missing.
SHORT, SHORT_LAST, LOST_LAST = 0.35, 0.55, 0.42
NOT_SHORT = 1.05  # words with a higher length ratio, and words beside them, may be spoken twice
SUPPORT = 2.0  # words with less support are missing, or another word is spoken
PRIOR = 0.5


def compare(recogniser: Recogniser, audio: Audio, words: Sequence[TypedWord], language: str = ENGLISH) -> Comparison:
    """Return the verdict on each expected word, and the added words. `words` must not be empty.

    In other languages than English, words are compared by their letters. The further tests need an English dictionary, so they
    are skipped: a wrong word with almost the same letters is not found, or is unsure.
    """
    passages, english = listen(recogniser, audio, language), subtags(language)[0] == ENGLISH
    parts = divide(words, passages, language)
    results = [_judged(recogniser, part, language) for part in parts]
    timed = place_words(audio, words, parts, [scored for scored, _ in results], language)
    findings = {place: WordFinding(word=word, verdict="kept", evidence=0.0) for place, word in enumerate(timed)}
    added: list[AddedWord] = []
    for part, (scored, judged) in zip(parts, results, strict=True):
        if english:
            _note_unlikely(findings, words, part, scored)
        for one in judged:
            _note(findings, words, part, one)
            added += _added(part, one)
        if not english:
            continue
        _note_short(findings, part)
        added_at = {one.place for one in added}
        ratios = dict(zip(part.written, length_ratios([timed[place] for place in part.written]), strict=True))
        if len(part.written) < FROM_WORDS:
            continue  # the tempo is unknown, and the recogniser has no context
        usual = (
            content(words, part) - {near for place in added_at for near in (place - 1, place)} - _heard_at_starts(part)
        )
        unsure = [place for place in doubtful(part, scored, ratios) if place in usual]
        unusual = {place for place in part.written if not is_plain(words[place])}
        _note_unsupported(findings, supports(recogniser, part, scored, unsure, unusual))
        for token, copy in repeated(recogniser, part, _maybe_twice(part, ratios)):
            if findings[token.place].verdict == "kept" and not {token.place, token.place + 1} & added_at:
                added.append(AddedWord(heard=copy, place=token.place + 1, repeats=True))
    for place in maybe_spoken(audio, words, parts):
        if findings[place].verdict == "missing":
            findings[place] = replace(findings[place], verdict="unsure")
    words_heard = tuple(word for passage in passages for word in passage.words)
    heard = Transcript(words=words_heard, language=subtags(language)[0])
    clear = _is_clear(words, findings)
    return Comparison(words=tuple(findings.values()), added=tuple(added), transcript=heard, clear=clear)


def _is_clear(words: Sequence[TypedWord], findings: Mapping[int, WordFinding]) -> bool:
    """Return True if a content word is kept. In noise, the recogniser hears words such as "you".

    If the line has only common words, one of these words must be kept.
    """
    contents = [place for place, word in enumerate(words) if not set(word.spoken) <= FUNCTION]
    return any(findings[place].verdict == "kept" for place in contents or findings)


def _judged(recogniser: Recogniser, part: Part, language: str) -> tuple[tuple[ScoredWord, ...], list[Judged]]:
    """Score the expected line, and one changed line for each difference."""
    found = differences(part, LIKE)
    if not part.expected:
        return (), [Judged(one, ADDED - 1.0) for one in found]
    lines = [part.line, *(one.applied(part) for one in found)]
    heard = recogniser.score(part.passage.encoded, lines, language)
    with_audio = [total(words) for words in heard]
    without = [total(words) for words in recogniser.score_unheard(lines, language)] if found else []
    return heard[0], [
        Judged(
            one,
            with_audio[0] - with_audio[at] - PRIOR * (without[0] - without[at]),
            last=one.end == len(part.expected),
            bark=len(part.expected) <= BARK_WORDS,
        )
        for at, one in enumerate(found, 1)
    ]


def _note(findings: dict[int, WordFinding], words: Sequence[TypedWord], part: Part, judged: Judged) -> None:
    """Store the verdict on the expected words of a difference."""
    one = judged.difference
    heard = " ".join(token.text for token in part.heard[one.heard_start : one.heard_end])
    for place in sorted({token.place for token in part.expected[one.start : one.end]}):
        verdict = judge(words[place], judged, said_twice=_said_twice(part, place))
        if verdict in ("missing", "misheard") and _is_part_of_name(words[place], part, one):
            verdict = "unsure"
        if verdict != "kept":
            timed = findings[place].word
            findings[place] = WordFinding(word=timed, verdict=verdict, evidence=round(judged.evidence, 2), heard=heard)


def _is_part_of_name(word: TypedWord, part: Part, one: Difference) -> bool:
    """Return True if the word is a respelled name, and the difference has only some of its spoken words.

    The pronunciation of such words is a guess, so the difference may be no fault.
    """
    if is_plain(word) or any(sign.isdigit() for sign in word.typed):
        return False
    inside = [token.spoken for token in part.expected[one.start : one.end]]
    return any(spoken not in inside for spoken in word.spoken)


def _said_twice(part: Part, place: int) -> bool:
    """Return True if the same word is also before or after this word: the recogniser often leaves one of the two out."""
    spoken = [(token.place, token.spoken) for token in part.expected]
    return any(one == two and place in (at, after) for (at, one), (after, two) in pairwise(spoken))


def _note_unlikely(
    findings: dict[int, WordFinding], words: Sequence[TypedWord], part: Part, scored: Sequence[ScoredWord]
) -> None:
    """Mark words as unsure or misheard if they are heard, but the recogniser finds them unlikely at their place."""
    for token, word in zip(part.expected, scored, strict=True):
        finding = findings[token.place]
        usual = is_plain(words[token.place]) and token.spoken not in FUNCTION
        if word.log < LOW and finding.verdict == "kept" and usual:
            surely = word.log < VERY_LOW and len(part.expected) > BARK_WORDS and not _said_twice(part, token.place)
            verdict: Verdict = "misheard" if surely else "unsure"
            findings[token.place] = replace(finding, verdict=verdict, evidence=round(word.log, 2))


def _note_unsupported(findings: dict[int, WordFinding], supported: Mapping[int, float]) -> None:
    """Mark unsupported words as missing, or misheard if other words are heard.

    A lost word lowers the support of the words beside it, so only the word with the least support is marked.
    """
    for place, support in sorted(supported.items(), key=lambda one: one[1]):
        finding = findings[place]
        near_verdicts = {findings[near].verdict for near in (place - 1, place + 1) if near in findings}
        if support < SUPPORT and finding.verdict in ("kept", "unsure") and not near_verdicts & {"missing", "misheard"}:
            verdict: Verdict = "misheard" if finding.heard else "missing"
            findings[place] = replace(finding, verdict=verdict, evidence=round(support, 2))


def content(words: Sequence[TypedWord], part: Part) -> set[int]:
    """Return the places of plain content words that are neither heard as digits nor doubled in the line."""
    digits = {at for at, token in enumerate(part.heard) if any(sign.isdigit() for sign in token.text)}
    as_digits = {
        token.place
        for match in part.matches
        if digits & {*range(match.heard_start, match.heard_end)}
        for token in part.expected[match.start : match.end]
    }
    found = {token.place for token in part.expected if token.spoken not in FUNCTION} - as_digits
    return {place for place in found if is_plain(words[place]) and not _said_twice(part, place)}


def _heard_at_starts(part: Part) -> set[int]:
    """Return the places of heard words at the start of a sentence. The recogniser has no context to guess these words."""
    starts = {at for at, token in enumerate(part.expected) if at == 0 or part.expected[at - 1].text[-1] in ENDS}
    heard = {match.start for match in part.matches if match.heard_end > match.heard_start and match.unlike <= LIKE}
    return {part.expected[at].place for at in starts & heard}


def _maybe_twice(part: Part, ratios: Mapping[int, float]) -> list[int]:
    """Return the indices of tokens that may be spoken twice: content words that are long, or next to a long word."""
    near = {place for at, ratio in ratios.items() if ratio > NOT_SHORT for place in (at - 1, at, at + 1)}
    return [at for at, token in enumerate(part.expected) if token.place in near and token.spoken not in FUNCTION]


def _note_short(findings: dict[int, WordFinding], part: Part) -> None:
    """Mark words that are too short as unsure. A last word that is much too short is lost: missing or misheard."""
    written = part.written
    common = {token.place for token in part.expected if token.spoken in FUNCTION}
    for place, ratio in zip(written, length_ratios([findings[place].word for place in written]), strict=True):
        finding, last = findings[place], place == written[-1]
        lost = last and ratio < LOST_LAST and len(written) >= FROM_WORDS
        if place in common or finding.verdict not in ("kept", "unsure"):
            continue
        if lost or (finding.verdict == "kept" and ratio < (SHORT_LAST if last else SHORT)):
            verdict: Verdict = "unsure" if not lost else "misheard" if finding.heard else "missing"
            findings[place] = replace(finding, verdict=verdict, evidence=round(float(np.log(ratio + 1e-3)), 2))


def _added(part: Part, judged: Judged) -> Iterator[AddedWord]:
    """Yield the words of a difference that replace no expected word."""
    one = judged.difference
    if one.start != one.end or judged.evidence >= (ADDED_AGAIN if _is_copy(part, one) else ADDED):
        return
    place = (
        part.expected[one.start].place
        if one.start < len(part.expected)
        else len(part.written) + min(part.written, default=0)
    )
    near = {token.spoken for token in part.expected[max(0, one.start - 3) : one.start + 3]}
    for index in sorted({token.place for token in part.heard[one.heard_start : one.heard_end]}):
        spoken = {token.spoken for token in part.heard if token.place == index}
        yield AddedWord(heard=part.passage.words[index], place=place, repeats=spoken <= near)


def _is_copy(part: Part, one: Difference) -> bool:
    """Return True if added words repeat the expected words before or after them."""
    copy = [token.spoken for token in part.heard[one.heard_start : one.heard_end]]
    expected = [token.spoken for token in part.expected]
    return copy in (expected[max(0, one.start - len(copy)) : one.start], expected[one.start : one.start + len(copy)])
