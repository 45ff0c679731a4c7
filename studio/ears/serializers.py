"""JSON of what the ears hear, for the page, the API and stored takes. Times are seconds from the start of the audio."""

from typing import Any

from studio.ears.vocabulary import AddedWord, Comparison, HeardWord, TimedWord, Transcript, WordFinding

MARKS = ' .,;:!?"“”…'  # these characters are removed from the ends of an added word


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """Return the words that differ, with times and with indices of the written words, and the times of all written words.

    An added word is before the written word with its index. `complete` is True if no word is missing, misheard or added, and
    None if no word is heard clearly.
    """
    found = comparison.words
    return {
        "complete": comparison.complete,
        "missing": [_found(index, found[index]) for index in comparison.missing],
        "misheard": [_found(index, found[index]) for index in comparison.misheard],
        "added": [_added(one) for one in comparison.added],
        "unsure": [_found(index, found[index]) for index in comparison.unsure],
        "words": [_timed(one.word) for one in found],
        "transcript": comparison.transcript.text,
    }


def transcript_json(transcript: Transcript) -> list[dict[str, Any]]:
    """Return the heard words with their times and confidences (0 to 1)."""
    return [_heard(word) for word in transcript.words]


def _found(index: int, finding: WordFinding) -> dict[str, Any]:
    heard = finding.heard.strip(MARKS)
    return {"index": index, **_timed(finding.word), "heard": heard, "evidence": finding.evidence}


def _timed(word: TimedWord) -> dict[str, Any]:
    return {"word": word.word, "start_s": round(word.start_s, 3), "end_s": round(word.end_s, 3)}


def _added(one: AddedWord) -> dict[str, Any]:
    heard = _heard(one.heard)
    return {"index": one.place, **heard, "word": one.heard.text.strip(MARKS), "repeats": one.repeats}


def _heard(word: HeardWord) -> dict[str, Any]:
    times = {"start_s": round(word.start_s, 3), "end_s": round(word.end_s, 3)}
    return {"word": word.text, **times, "confidence": round(word.confidence, 3)}
