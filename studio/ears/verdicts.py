"""Decide the verdict on a written word, if something else is heard in its place."""

from dataclasses import dataclass

from studio.ears.dictionary import known
from studio.ears.differences import Difference
from studio.ears.spoken import with_plain_apostrophes
from studio.ears.vocabulary import TypedWord, Verdict

# Measured by `python -m bench.hearing`, tuned on the clips of assets/voices.
LIKE, UNLIKE = 0.3, 0.4  # share of different phones: up to LIKE, the word is kept; above UNLIKE, it may be another word
UNLIKE_NAME = 0.6  # UNLIKE for words that the dictionary lacks, whose pronunciation is a guess
AGAINST = -2.0  # with lower evidence, a word was replaced
AGAINST_FUNCTION = -8.0  # AGAINST for words such as "the", which the recogniser often confuses
AGAINST_BARK = -12.0  # AGAINST for lines of at most BARK_WORDS, which the recogniser hears without context
STRONGLY_AGAINST = -2.5  # with lower evidence, a word was replaced by a similar one
GONE = 3.0  # a word that is not heard is missing below this evidence, else unsure; lower for FUNCTION and barks
BARK_WORDS = 3
SHORT_WORDS = """
a an the of to in on at and or but is was were are be been it its he she we you i my me his her our your that this for with by
as so if had has have do did not no them they from up then than there when who will would can could
"""
SOUNDS = "ah argh aw eh er ha haha heh hey hm hmm ho huh mm oh ooh oops ouch ow psst shh ugh uh um whoa wow yeah"
# Words that the recogniser often confuses.
FUNCTION = frozenset(SHORT_WORDS.split()) | frozenset(SOUNDS.split())
LEFT_OUT = frozenset(SOUNDS.split())  # words that the recogniser often leaves out


@dataclass(frozen=True, slots=True)
class Judged:
    """A difference between the expected and the heard words, and the evidence for the expected words."""

    difference: Difference
    evidence: float
    last: bool = False  # True if no expected word follows, so that a lost word does not affect the next word
    bark: bool = False  # True if the line has at most BARK_WORDS


def judge(word: TypedWord, judged: Judged, *, said_twice: bool) -> Verdict:
    """Return the verdict on one word of a difference; `said_twice` is True if the same word is also before or after it."""
    one, function = judged.difference, set(word.spoken) <= FUNCTION
    if one.heard_start == one.heard_end:
        left_out = said_twice or set(word.spoken) <= LEFT_OUT
        return "unsure" if left_out else _not_heard(judged, function)
    if one.unlike <= LIKE:
        return "kept"
    against = AGAINST_BARK if judged.bark else AGAINST_FUNCTION if function else AGAINST
    plain = is_plain(word)
    if one.unlike <= (UNLIKE if plain else UNLIKE_NAME):
        surely = judged.evidence < min(against, STRONGLY_AGAINST)
        return "misheard" if surely and plain and not function else "unsure"
    return "misheard" if judged.evidence < against else "unsure"


def _not_heard(judged: Judged, function: bool) -> Verdict:
    in_line, in_bark = (AGAINST, AGAINST_FUNCTION) if function else (GONE, AGAINST)
    lost_end = judged.last and not function and not judged.bark
    return "missing" if judged.evidence < (in_bark if judged.bark else in_line) or lost_end else "unsure"


def is_plain(word: TypedWord) -> bool:
    """Return True for a word that is in the dictionary and spoken as it is written, unlike names and numbers."""
    written = with_plain_apostrophes(word.typed).lower()
    return written == " ".join(word.spoken) and all(known(spoken) for spoken in word.spoken)
