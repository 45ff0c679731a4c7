"""Convert a pronunciation in the International Phonetic Alphabet (IPA) to the spelling of a language, which engines read."""

from engines.text.language_tags import ENGLISH, subtags
from engines.text.respelling import english
from engines.text.respelling.english import from_arpabet
from engines.text.respelling.search import respeller
from engines.text.respelling.spellings import SPELLINGS

WORDS_MAX = 20  # of a pronunciation in a language other than English
RESPELLED_LANGUAGES = (ENGLISH, *SPELLINGS)

__all__ = ["RESPELLED_LANGUAGES", "can_respell", "from_arpabet", "respelled"]


def can_respell(language: str) -> bool:
    """Return True if pronunciations can be respelled for texts of this language."""
    return subtags(language)[0] in RESPELLED_LANGUAGES


def respelled(ipa: str, language: str = ENGLISH) -> str:
    """Return a spelling of a pronunciation such as /ˈkeɪlθəs/ for texts in this language.

    The result is an approximation. It is empty if the language is not in RESPELLED_LANGUAGES, or if a sign is not IPA. In
    languages other than English, it is also empty if a word or the whole pronunciation is too long.
    """
    primary = subtags(language)[0]
    if primary == ENGLISH:
        return english.respelled(ipa)
    sounds = ipa.strip().strip("/[]⟨⟩").split()
    if primary not in SPELLINGS or len(sounds) > WORDS_MAX:
        return ""
    words = [respeller(primary).respell(word) for word in sounds]
    return " ".join(words) if all(words) else ""
