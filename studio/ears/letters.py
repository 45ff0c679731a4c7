"""Rules that give a rough ARPABET pronunciation of words that the dictionary lacks, such as names of a game.

The longest matching rule maps letters to phones. The result suffices to find a word in audio, not to judge it.
"""

VOWELS = frozenset("aeiouy")
RULES = {
    "tion": "SH AH N", "sion": "ZH AH N", "ough": "AO", "augh": "AO", "eigh": "EY", "igh": "AY", "tch": "CH",
    "dge": "JH", "sch": "SH", "ck": "K", "ch": "CH", "sh": "SH", "th": "TH", "ph": "F", "wh": "W", "gh": "G",
    "kn": "N", "wr": "R", "qu": "K W", "ng": "NG", "ee": "IY", "ea": "IY", "oo": "UW", "ou": "AW", "ow": "OW",
    "oi": "OY", "oy": "OY", "ai": "EY", "ay": "EY", "ei": "EY", "ey": "IY", "au": "AO", "aw": "AO", "oa": "OW",
    "ie": "IY", "ue": "UW", "ar": "AA R", "er": "ER", "ir": "ER", "or": "AO R", "ur": "ER", "yr": "ER",
    "ce": "S EH", "ci": "S IH", "cy": "S IY", "ge": "JH EH", "gi": "JH IH", "a": "AE", "b": "B", "c": "K", "d": "D",
    "e": "EH", "f": "F", "g": "G", "h": "HH", "i": "IH", "j": "JH", "k": "K", "l": "L", "m": "M", "n": "N", "o": "AA",
    "p": "P", "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH", "v": "V", "w": "W", "x": "K S", "y": "Y", "z": "Z",
}  # fmt: skip
LONGEST = max(map(len, RULES))
AT_END = {"a": "AH", "e": "IY", "i": "IY", "o": "OW", "u": "UW", "y": "IY", "ce": "S", "ge": "JH"}
LONG = {"a": "EY", "e": "IY", "i": "AY", "o": "OW", "u": "UW", "y": "AY"}


def pronounce_letters(word: str) -> tuple[str, ...]:
    """Return the phones of a lower-case word by its letters; empty if it has letters beyond a to z, or no letters."""
    letters = word.replace("'", "")
    if not letters or not (letters.isascii() and letters.isalpha()):
        return ()
    phones: list[str] = []
    place = 0
    while place < len(letters):
        taken, said = _next(letters, place)
        phones += [phone for phone in said if not phones or phone != phones[-1]]  # a doubled letter is spoken once
        place += taken
    return tuple(phones)


def _next(letters: str, place: int) -> tuple[int, list[str]]:
    """Return the number of letters that the next rule consumes, and their phones."""
    rest = letters[place:]
    if place and rest in AT_END:
        silent = rest == "e" and any(c in VOWELS for c in letters[:place])
        return len(rest), [] if silent else AT_END[rest].split()
    if len(rest) == 3 and rest[0] in LONG and rest[1] not in VOWELS and rest[2] == "e":
        return 1, [LONG[rest[0]]]
    length = next(size for size in range(min(LONGEST, len(rest)), 0, -1) if rest[:size] in RULES)
    if not place and rest[0] == "x":
        return 1, ["Z"]
    return length, RULES[rest[:length]].split()
