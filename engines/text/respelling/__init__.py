"""Respell a pronunciation in the International Phonetic Alphabet (IPA), for engines that read letters."""

from engines.text.language_tags import ENGLISH, subtags
from engines.text.respelling import english
from engines.text.respelling.english import from_arpabet
from engines.text.respelling.search import respeller
from engines.text.respelling.usual import USUAL

WORDS_MAX = 20  # in a pronunciation
RESPELLED_LANGUAGES = (ENGLISH, *USUAL)

__all__ = ["RESPELLED_LANGUAGES", "from_arpabet", "is_respelled", "respelled"]


def is_respelled(language: str) -> bool:
    """Return True if pronunciations can be respelled for texts of this language."""
    return subtags(language)[0] in RESPELLED_LANGUAGES


def respelled(ipa: str, language: str = ENGLISH) -> str:
    """Return letters that are read like a pronunciation such as /ˈkeɪlθəs/ in texts of this language.

    The result is an approximation. It is empty for other languages, for signs that are not IPA, and for very long words.
    """
    primary = subtags(language)[0]
    if primary == ENGLISH:
        return english.respelled(ipa)
    sounds = ipa.strip().strip("/[]⟨⟩").split()
    if primary not in USUAL or len(sounds) > WORDS_MAX:
        return ""
    words = [respeller(primary).respelled(word) for word in sounds]
    return " ".join(words) if all(words) else ""
