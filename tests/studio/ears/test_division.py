"""The expected words of a passage are spelled as the recogniser spells them, if they sound the same."""

import numpy as np
import pytest

from studio.ears.division import divide
from studio.ears.listening import HeardPassage
from studio.ears.recogniser import Encoded
from studio.ears.sound import Passage
from studio.ears.vocabulary import HeardWord
from studio.script.checks.wording import typed_words

NO_SOUND = Encoded(Passage(np.zeros(1_600, np.float32), 0.0, 0.1), None)


@pytest.mark.parametrize(
    ("text", "heard", "line"),
    [
        ("Only two litres left.", "Only two liters left", "Only two liters left."),
        ("Mind the metres, and the theatre!", "Mind the meters and the theater.", "Mind the meters, and the theater!"),
        ("Theatre is over there.", "theater is over their", "Theater is over their."),
        ("They see us.", "The CS.", "They see us."),
        ("He has one horse.", "He has 1 horse.", "He has one horse."),
        ("We leave now.", "We live now.", "We leave now."),
    ],
)
def test_words_that_sound_the_same_have_the_spelling_that_is_heard(text: str, heard: str, line: str) -> None:
    words = tuple(HeardWord(text=word, start_s=0.0, end_s=0.1, confidence=1.0) for word in heard.split())
    [part] = divide(typed_words(text), [HeardPassage(NO_SOUND, words)])
    assert " ".join(part.line) == line
