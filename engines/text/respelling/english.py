"""Respell a pronunciation in IPA with English letters.

English spelling has no sign for stress. Sounds of other languages become the nearest English sounds.
"""

import re
import unicodedata

from engines.text.rules import listed

STRESS = "ˈˌ'"
TIES, LENGTH, NASAL = "\u0361\u035c", "ːˑ", "\u0303"
SOUNDS = {
    "aɪ": "igh", "ai": "igh", "eɪ": "ay", "ei": "ay", "oʊ": "oh", "əʊ": "oh", "ou": "oh", "aʊ": "ow", "au": "ow",
    "ɔɪ": "oy", "ɔi": "oy", "ɔʏ": "oy", "ɪə": "eer", "eə": "air", "ɛə": "air", "ʊə": "oor", "iː": "ee", "i": "ee", "ɪ": "i",
    "ɨ": "i", "y": "oo", "ʏ": "oo", "uː": "oo", "u": "oo", "ʊ": "oo", "ʉ": "oo", "ɯ": "oo", "eː": "ay", "e": "ay", "ɛ": "e",
    "œ": "ur", "ø": "ur", "ə": "u", "ɘ": "u", "ʌ": "u", "ɐ": "u", "ɜː": "ur", "ɝ": "ur", "ɜ": "ur", "ɚ": "er", "ɤ": "u",
    "o": "oh", "oː": "oh", "ɔː": "aw", "ɔ": "o", "ɒ": "o", "ɑː": "ah", "ɑ": "ah", "aː": "ah", "a": "ah", "æ": "a",
    "tʃ": "ch", "ʧ": "ch", "tɕ": "ch", "dʒ": "j", "ʤ": "j", "dʑ": "j", "ts": "ts", "dz": "dz", "ʃ": "sh", "ɕ": "sh",
    "ʂ": "sh", "ʒ": "zh", "ʑ": "zh", "ʐ": "zh", "θ": "th", "ð": "th", "ŋ": "ng", "ɲ": "ny", "ʎ": "ly", "x": "kh", "χ": "kh",
    "ç": "h", "ħ": "h", "ɦ": "h", "ʕ": "", "ʔ": "", "j": "y", "ɹ": "r", "ʁ": "r", "ɾ": "r", "ɻ": "r", "ʀ": "r", "r": "r",
    "ɡ": "g", "g": "g", "ɣ": "g", "β": "b", "ɸ": "f", "ʍ": "wh", "w": "w", "ɥ": "w", "ɫ": "l", "ɬ": "hl", "ʝ": "y",
    "c": "k", "ɟ": "j", "q": "k", "ʈ": "t", "ɖ": "d", "ɱ": "m", "p": "p", "b": "b", "t": "t", "d": "d", "k": "k", "f": "f",
    "v": "v", "s": "s", "z": "z", "h": "h", "m": "m", "n": "n", "l": "l",
}  # fmt: skip
VOWELS = frozenset(listed("igh ay oh ow oy eer air oor ee i oo e ur er u aw o ah a"))
SOUND = re.compile("|".join(sorted(map(re.escape, SOUNDS), key=len, reverse=True)))
# American English phones in ARPABET, as in the CMU dictionary.
ARPABET = {
    "AA": "ɑː", "AE": "æ", "AH": "ʌ", "AO": "ɔː", "AW": "aʊ", "AX": "ə", "AY": "aɪ", "B": "b", "CH": "tʃ", "D": "d",
    "DH": "ð", "EH": "ɛ", "ER": "ɜː", "EY": "eɪ", "F": "f", "G": "ɡ", "HH": "h", "IH": "ɪ", "IY": "iː", "JH": "dʒ",
    "K": "k", "L": "l", "M": "m", "N": "n", "NG": "ŋ", "OW": "oʊ", "OY": "ɔɪ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ",
    "T": "t", "TH": "θ", "UH": "ʊ", "UW": "uː", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip


def respelled(ipa: str) -> str:
    """Return English letters for a pronunciation such as /ˈkeɪlθəs/; "" if it has a sign that is not IPA."""
    words = [_word(word) for word in _plain(ipa).split()]
    return "" if None in words else " ".join(word for word in words if word)


def from_arpabet(phones: str) -> str:
    """Return the IPA of phones such as "AA1 R IY0"; "" if one of them is unknown."""
    found = [ARPABET.get(phone.rstrip("012")) for phone in phones.split()]
    return "" if None in found else "".join(sound for sound in found if sound)


def _plain(ipa: str) -> str:
    """Return IPA without slashes, ties and syllable dots, with composed letters."""
    bare = unicodedata.normalize("NFD", ipa.strip().strip("/[]⟨⟩").strip()).translate(dict.fromkeys(map(ord, TIES)))
    kept = (sign for sign in bare if sign == NASAL or not unicodedata.combining(sign) or sign == "\u0327")
    return unicodedata.normalize("NFC", "".join(kept)).replace(".", "").replace("‿", "").replace("-", "")


def _word(ipa: str) -> str | None:
    """Return the letters of a word; None if it has a sign that is not IPA."""
    parts: list[str] = []
    place = 0
    decomposed = unicodedata.normalize("NFD", ipa).replace("c\u0327", "ç")
    while place < len(decomposed):
        sign = decomposed[place]
        found = SOUND.match(decomposed, place)
        if sign in STRESS:
            following = SOUND.match(decomposed, place + 1)
            onset = following is not None and SOUNDS[following[0]] not in VOWELS
            parts += ["-"] if parts and (onset or parts[-1] in VOWELS) else []
        elif sign in LENGTH:
            pass
        elif sign == NASAL:
            parts.append("n")
        elif found is None:
            return None
        else:
            parts.append(SOUNDS[found[0]])
            place = found.end() - 1
        place += 1
    return "".join(_clear(parts, at) for at in range(len(parts)))


def _clear(parts: list[str], at: int) -> str:
    """Return the letters of one sound so that its neighbours do not change how it is read."""
    part = parts[at]
    before, after = parts[at - 1] if at else "-", parts[at + 1] if at + 1 < len(parts) else "-"
    if part == "igh" and before == "-":
        return "eye"
    if part == "g" and after[:1] in tuple("ei"):  # "gee" would begin like "jam"
        return "gh"
    if part == "u" and after == "-":
        return "uh"
    if part == "s" and before in VOWELS:  # "us", not "uz"
        return "ss"
    return part
