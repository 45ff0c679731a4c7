"""Messages end with one sign."""

import pytest

from studio.ears.vocabulary import Comparison, HeardWord, TimedWord, Transcript, WordFinding
from studio.references.agreement import disagreement
from studio.script.checks.words import HeardLine, check_words
from studio.sentences import sentence


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("it is quiet", "It is quiet."),
        ("It is quiet.", "It is quiet."),
        ('Heard: "Go now."', 'Heard: "Go now."'),
        ("Heard: “Go now?”", "Heard: “Go now?”"),
        ("Missing: “one”", "Missing: “one”."),
        ("It said 'no!' twice", "It said 'no!' twice."),
    ],
)
def test_a_sentence_ends_with_one_sign(text: str, wanted: str) -> None:
    assert sentence(text) == wanted


@pytest.mark.parametrize(("last", "end"), [("now.", 'now."'), ("now", 'now".'), ("now?", 'now?"')])
def test_the_check_of_words_ends_with_one_sign(last: str, end: str) -> None:
    finding = WordFinding(word=TimedWord(word="now", start_s=0.0, end_s=0.3), verdict="misheard", evidence=-1.0)
    heard = Transcript(
        words=(
            HeardWord(text="Go", start_s=0, end_s=1, confidence=1),
            HeardWord(text=last, start_s=1, end_s=2, confidence=1),
        )
    )
    message = check_words(HeardLine(Comparison(words=(finding,), transcript=heard), 0.0)).message
    assert message.endswith(end), message


def test_a_misheard_word_is_named_with_the_word_of_the_text() -> None:
    bridge = TimedWord(word="bridge", start_s=0.0, end_s=0.3)
    finding = WordFinding(word=bridge, verdict="misheard", evidence=-1.0, heard="brick")
    message = check_words(HeardLine(Comparison(words=(finding,)), 0.0)).message
    assert message.startswith('Heard "brick" instead of "bridge".')


def test_a_doubt_about_a_transcript_has_one_sign_after_the_quotation() -> None:
    warning = disagreement("Completely other words.", "Fjord bank glyphs vext quiz")
    assert "other words.” Listen" in warning, warning
