"""Text as pure functions: parse typed text, convert it to spoken form, fit it to a vocabulary, cut it into chunks."""

from engines.text.chunks import SentenceReader, chunks, split_short_sentences
from engines.text.directions import (
    Direction,
    directions_in,
    marker_in,
    with_spoken_directions,
    without_directions,
    without_words,
)
from engines.text.language_tags import without_extensions
from engines.text.limits import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS, check_length
from engines.text.passages import VoicePassage, open_tags, passages, rate_of
from engines.text.respelling import RESPELLED_LANGUAGES, can_respell, from_arpabet, respelled
from engines.text.script import MAX_PAUSES_S, Pause, Say, Script, parse
from engines.text.spoken import SPOKEN_LANGUAGES, spoken_form
from engines.text.syllables import count_syllables
from engines.text.tempo import Spoken, estimate_s, lasts
from engines.text.vocabulary import fit, unsaid, unsupported

__all__ = [
    "MAX_CHARACTERS",
    "MAX_PAUSES_S",
    "MAX_TRANSCRIPT_CHARACTERS",
    "RESPELLED_LANGUAGES",
    "SPOKEN_LANGUAGES",
    "Direction",
    "Pause",
    "Say",
    "Script",
    "SentenceReader",
    "Spoken",
    "VoicePassage",
    "can_respell",
    "check_length",
    "chunks",
    "count_syllables",
    "directions_in",
    "estimate_s",
    "fit",
    "from_arpabet",
    "lasts",
    "marker_in",
    "open_tags",
    "parse",
    "passages",
    "rate_of",
    "respelled",
    "split_short_sentences",
    "spoken_form",
    "unsaid",
    "unsupported",
    "with_spoken_directions",
    "without_directions",
    "without_extensions",
    "without_words",
]
