"""Sentence ends in a written text. The dot of an abbreviation such as "a.m." does not always end a sentence."""

import re

from engines.text.abbreviations import BEHIND_A_NAME, SHORT_FORMS, TITLES
from engines.text.rules import CLEARLY_ENDS, one_of

SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
CLOSES = "\"'”’)」』）"  # a sentence may end before these
OPENS = "\"'“‘(["
ABBREVIATION = re.compile(
    rf"(?:[^\W\d_]\.)+|(?:{one_of([*TITLES, *BEHIND_A_NAME, 'St'])})\."
    rf"|(?i:{one_of(form for form in SHORT_FORMS if form.endswith('.'))})"
)


def ends_sentence(word: str, following: str) -> bool:
    """Return True if a sentence ends between two neighbouring words, which are written with their punctuation."""
    said = word.rstrip(CLOSES)
    if not said.endswith(SENTENCE_ENDS):
        return False
    return not ABBREVIATION.fullmatch(said.lstrip(OPENS)) or bool(CLEARLY_ENDS.match(f" {following.lstrip(OPENS)}"))
