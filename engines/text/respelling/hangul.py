"""Join Korean letters to syllables."""

import unicodedata

LEADS, TAILS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FIRST_LEAD, FIRST_VOWEL, NO_TAIL = 0x1100, 0x1161, 0x11A7
SILENT, SHORT = "ㅇ", "ㅡ"  # the consonant before a vowel without one, and the vowel after a consonant without one


def in_syllables(letters: str) -> str:
    """Return the syllables of a word. ㅇ is the sound at the end of "sing"."""
    spelled = ""
    for place, letter in enumerate(letters):
        if letter in VOWELS:
            before = letters[place - 1] if place else SILENT
            spelled += _lead(SILENT if before in VOWELS or before == SILENT else before) + _vowel(letter)
        elif letters[place + 1 : place + 2] in {*VOWELS} and letter != SILENT:
            continue  # the lead of the next syllable
        elif letter in TAILS and spelled and FIRST_VOWEL <= ord(spelled[-1]) <= NO_TAIL:
            spelled += chr(NO_TAIL + TAILS.index(letter))
        else:
            spelled += _lead(letter) + _vowel(SHORT)
    return unicodedata.normalize("NFC", spelled)


def _lead(letter: str) -> str:
    return chr(FIRST_LEAD + LEADS.index(letter))


def _vowel(letter: str) -> str:
    return chr(FIRST_VOWEL + VOWELS.index(letter))
