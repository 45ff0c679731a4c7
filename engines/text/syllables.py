"""Count syllables approximately, to check whether a transcript can belong to a clip."""

import re

from engines.text.spoken import spoken_form

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
VOWELS = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ]+")
SILENT_END = re.compile(r"(?:[^laeiouy]e|[^aeiouydt]ed|[^aeiouysxzhcg]es)$")
IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LETTERS_A_SYLLABLE = 2.5  # of scripts whose vowels are not listed here


def count_syllables(text: str) -> int:
    """Count the syllables of the spoken form (English by rule, other scripts by length), with an error of about 10 %."""
    return sum(_of_word(word) for word in WORD.findall(spoken_form(text).lower()))


def _of_word(word: str) -> int:
    ideographs = len(IDEOGRAPH.findall(word))
    if ideographs:
        return ideographs
    groups = len(VOWELS.findall(word))
    if groups == 0:
        return max(1, round(len(word) / LETTERS_A_SYLLABLE)) if not word.isascii() else 1
    return max(1, groups - bool(SILENT_END.search(word)))
