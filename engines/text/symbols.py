"""Abbreviations, acronyms and signs that stand for words."""

import re
import unicodedata

from engines.text.rules import Rule, one_of, rule, stop

TITLES = {"Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor", "St": "Saint"} | {
    "Jr": "Junior",
    "Sr": "Senior",
    "Capt": "Captain",
    "Gen": "General",
    "Lt": "Lieutenant",
    "Sgt": "Sergeant",
    "Mt": "Mount",
}
SHORT_FORMS = {"e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "vs.": "versus", "vs": "versus"} | {
    "approx.": "approximately",
    "dept.": "department",
    "w/o": "without",
    "w/": "with",
    "a.k.a.": "also known as",
}
SIGNS = {"&": "and", "+": "plus", "@": "at", "%": "percent", "=": "equals", "×": "times", "÷": "divided by"} | {
    "±": "plus or minus",
    "≈": "about",
    "≤": "at most",
    "≥": "at least",
    "²": "squared",
    "³": "cubed",
    "°": "degrees",
    "€": "euros",
    "£": "pounds",
    "¢": "cents",
    "™": "",
    "®": "",
    "©": "",
}
# Spelled although they have a vowel; other capitals with one (NASA, OK, STOP) are left to the voice.
SPELLED = {"AI", "UI", "UX", "API", "USA", "UK", "EU", "CPU", "GPU", "CEO", "CTO", "FAQ", "DIY", "XP", "HP"} | {
    "AFK",
    "AOE",
    "PVE",
    "RNG",
    "UFO",
    "URL",
    "ATM",
    "ASAP",
    "MMO",
    "FAO",
    "IP",
    "OS",
    "USB",
    "SDK",
    "IDE",
    "EUR",
}
# Capitals without a vowel that are nevertheless words.
SOUNDS = {
    "HMM",
    "HM",
    "SHH",
    "SH",
    "PFFT",
    "PSST",
    "PST",
    "BRR",
    "BRRR",
    "GRR",
    "GRRR",
    "ZZZ",
    "MMM",
    "MM",
    "TSK",
    "NTH",
}

SPOKEN_PICTURES = frozenset("№℃℉") | frozenset(SIGNS)
PICTURE_PARTS = frozenset(
    "\ufe0e\ufe0f\u20e3🏻🏼🏽🏾🏿"
)  # variants, key caps and skin tones of the picture before them


def is_picture(character: str) -> bool:
    """Whether it is an emoji or another picture that nobody says."""
    if character in SPOKEN_PICTURES:
        return False
    return character in PICTURE_PARTS or unicodedata.category(character) == "So"


def _acronym(found: re.Match[str]) -> str | None:
    letters = found[1]
    if letters in SOUNDS or (letters not in SPELLED and re.search("[AEIOUY]", letters)):
        return None
    return " ".join(letters) + ("'s" if found[2] else "")


def _initials(found: re.Match[str]) -> str:
    """U.S.A. is U S A; the last dot also ends a sentence where one ends."""
    return " ".join(c for c in found[0] if c != ".") + stop(found)


SHORT_WORDS: tuple[Rule, ...] = (
    rule(
        rf"(?<!\w)({one_of(SHORT_FORMS)})(?!\w)",
        lambda m: _cased(m[0], SHORT_FORMS[m[0].lower()]) + (stop(m) if m[0][-4:].lower() == "etc." else ""),
        re.IGNORECASE,
    ),
    rule(rf"\b({one_of(TITLES)})\.(?=\s+[A-Z])", lambda m: TITLES[m[1]]),
    rule(r"\b(Mr|Mrs|Dr)(?=\s+[A-Z])", lambda m: TITLES[m[1]]),
    rule(r"(?:\b(?:No|no|Nr)\.|№|#)\s?(?=\d)", lambda m: "number "),
    rule(r"(?<!\w)#(?=[^\W\d])", lambda m: "hashtag "),
    rule(r"\b([A-G])#(?!\w)", lambda m: f"{m[1]} sharp"),
    rule(r"\b(?:version\s)?v(?=\d+\.\d)", lambda m: "version ", re.IGNORECASE),
    rule("[℃℉]", lambda m: unicodedata.normalize("NFKC", m[0])),
    rule(r"(?<![A-Za-z.])(?:[A-Z]\.){2,}", _initials),
)

SIGN_WORDS: tuple[Rule, ...] = (
    rule(r"(?<![A-Za-z])([A-Z]{2,6})(?:['’]?(s))?(?![A-Za-z])", _acronym),
    rule(r"~(?=\s?\w)", lambda m: "about "),
    rule(rf"\s*({one_of(SIGNS)})\s*", lambda m: f" {SIGNS[m[1]]} "),
)


def _cased(written: str, said: str) -> str:
    return said[0].upper() + said[1:] if written[0].isupper() else said
