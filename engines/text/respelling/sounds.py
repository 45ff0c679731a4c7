"""Normalise IPA, so that the signs of dictionaries and of epitran can be compared."""

import re
import unicodedata

SIGNS = str.maketrans(
    {":": "ː", "g": "ɡ", "ʧ": "tʃ", "ʤ": "dʒ", "ʦ": "ts", "ʣ": "dz", "ʨ": "tɕ", "ʥ": "dʑ", "ɦ": "h", "ɫ": "l"}
)
# Marks of stress, syllables, tones and silence; brackets.
IGNORED_SIGNS = dict.fromkeys(map(ord, "ˈˌ'’./[]()‿-|‖ʔʕ˥˦˧˨˩˞ˑᵝ\u0361\u035c"))
NASAL, CEDILLA, TENSE = "\u0303\u0327\u0348"  # the only combining marks that change the spelling
OPEN_E = ("ə[\u0300\u0302]", "ɛ")  # è and ê, as epitran writes them
R_SOUNDS = ("[ɹɻʀɾʁ]", "r")
UNPALATAL = ("ʲ", "")
UNLONG = ("ː", "")
# Replacements, in order: sounds that readers of a language do not distinguish, and signs for which epitran and dictionaries
# differ.
EQUAL_SOUNDS = {
    "de": [R_SOUNDS, UNPALATAL, ("ɔʏ", "ɔɪ"), ("ə", "ɛ"), ("([ɑaɔoɛœ])\u0303ː?", r"\1ŋ"), ("w", "v")],
    "es": [
        UNPALATAL, UNLONG, ("ɹ", "ɾ"), ("(?<=[nls])r|r(?![aeiouɛɔɪʊə]|$)|(?<=.)r$", "ɾ"), ("ɟ?ʝ|ʎ|d?ʒ|ɟ", "ʝ"), ("h|χ", "x"),
        ("z", "s"), ("ŋ", "n"), ("(?<!t)ʃ", "tʃ"),
    ],
    "fr": [R_SOUNDS, UNPALATAL, UNLONG],
    "it": [
        R_SOUNDS, UNPALATAL, ("([aeiouɛɔ])ː", r"\1"), ("tʃː", "ttʃ"), ("dʒː", "ddʒ"), ("tsː", "tts"), ("dzː", "ddz"),
        ("(.)ː", r"\1\1"), ("stʃ", "ʃ"), (r"([ʎɲʃ])\1", r"\1"),
    ],
    "ja": [
        ("q", "k"), ("[rɹɻʀʁlɖ]", "ɾ"), ("[uʊ]", "ɯ"), ("[əʌɐɑæ]", "a"), ("ɛ", "e"), ("ɪ", "i"), ("[ɔɒ]", "o"), ("ŋ", "n"),
        ("θ", "s"), ("ð", "z"), ("v", "b"), ("x", "h"), ("ʲ(?=i)", ""), ("ɲ(?=i)", "n"), ("[ʲɥ]", "j"), ("ʃ", "ɕ"),
        ("d?[ʑʒ]", "ʑ"), ("dz", "z"), ("ɰ", "w"), ("(.)ː", r"\1\1"), (r"([kptsɡdbɕ])(?=\1)", "q"),  # q: っ
    ],
    "ko": [R_SOUNDS, UNPALATAL, UNLONG, ("\u0348", "ʼ"), ("ʰ", "")],
    "nl": [R_SOUNDS, UNPALATAL, ("œɥ", "œy"), ("[ɑʌ][uʊ]", "ɑw"), ("ɛ[iɪ]", "ɛj"), (r"([bdfklmnprst])\1", r"\1")],
    "pl": [R_SOUNDS, UNLONG, ("ʲ", "ʝ")],
    "pt": [("[rɹɻʀ]", "ʁ"), ("ʁ(?![aeiouɛɔɪʊəɐ]|$)|(?<=.)ʁ$", "ɾ"), UNPALATAL, UNLONG, ("ɐ", "a")],
    "ru": [
        R_SOUNDS, UNLONG, ("ʲ(?=[eɛiɪ])|(?<=ɕ)ʲ", ""), ("ʲ", "ʝ"), ("ʉ|ʊ", "u"), ("ɵ", "o"), ("[æəɐ]", "a"), ("ɪ", "i"),
    ],
}  # fmt: skip


def normalised(ipa: str, language: str) -> str:
    """Return IPA without IGNORED_SIGNS, and with the same sign for EQUAL_SOUNDS of this language."""
    marked = unicodedata.normalize("NFD", ipa.translate(SIGNS)).translate(IGNORED_SIGNS)
    marked = re.sub(*OPEN_E, marked)
    plain = "".join(sign for sign in marked if not unicodedata.combining(sign) or sign in (NASAL, CEDILLA, TENSE))
    for sound, equal in EQUAL_SOUNDS[language]:
        plain = re.sub(sound, equal, plain)
    return plain
