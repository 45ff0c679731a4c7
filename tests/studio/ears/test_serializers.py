"""The JSON of a comparison and of a transcript."""

from studio.ears.serializers import comparison_json, transcript_json
from studio.ears.vocabulary import AddedWord, Comparison, HeardWord, TimedWord, Transcript, Verdict, WordFinding


def finding(word: str, at_s: float, verdict: Verdict, heard: str = "") -> WordFinding:
    timed = TimedWord(word=word, start_s=at_s, end_s=at_s + 0.25)
    return WordFinding(word=timed, verdict=verdict, evidence=-3.0, heard=heard)


GATE = HeardWord(text="now,", start_s=1.0, end_s=1.2, confidence=0.91)
COMPARISON = Comparison(
    words=(finding("Hold", 0.0, "kept"), finding("the", 0.3, "missing"), finding("gate", 0.5, "misheard", "gait.")),
    added=(AddedWord(heard=GATE, place=3),),
    transcript=Transcript(words=(GATE,)),
)


def test_words_that_differ_are_listed_with_index_and_times() -> None:
    told = comparison_json(COMPARISON)
    assert told["complete"] is False
    assert told["missing"] == [
        {"index": 1, "word": "the", "start_s": 0.3, "end_s": 0.55, "heard": "", "evidence": -3.0}
    ]
    assert [(one["word"], one["heard"]) for one in told["misheard"]] == [("gate", "gait")]
    assert [(one["index"], one["word"], one["repeats"]) for one in told["added"]] == [(3, "now", False)]
    assert told["unsure"] == []
    assert [one["word"] for one in told["words"]] == ["Hold", "the", "gate"]


def test_a_transcript_keeps_punctuation_and_confidence() -> None:
    assert transcript_json(Transcript(words=(GATE,))) == [
        {"word": "now,", "start_s": 1.0, "end_s": 1.2, "confidence": 0.91}
    ]
