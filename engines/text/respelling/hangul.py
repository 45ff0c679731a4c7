"""Join Korean letters to syllables."""

import unicodedata

INITIALS, FINALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", " ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FIRST_INITIAL, FIRST_VOWEL, NO_FINAL = 0x1100, 0x1161, 0x11A7
SILENT_INITIAL, FILLER_VOWEL = "ㅇ", "ㅡ"  # of a syllable without a first consonant, and of a syllable without a vowel
USUAL_FINALS = str.maketrans("ㅋㅌㄷㅍ", "ㄱㅅㅅㅂ")  # which are read alike at the end of a syllable


def in_syllables(letters: str) -> str:
    """Return the syllables of a word. In `letters`, ㅇ is always the sound at the end of "sing", and never silent."""
    spelled = ""
    for place, letter in enumerate(letters):
        if letter in VOWELS:
            before = letters[place - 1] if place else SILENT_INITIAL
            spelled += _initial(SILENT_INITIAL if before in VOWELS else before) + _vowel(letter)
        elif letters[place + 1 : place + 2] in {*VOWELS} and letter != SILENT_INITIAL:
            continue  # the next vowel adds this consonant to its syllable
        elif letter in FINALS and spelled and FIRST_VOWEL <= ord(spelled[-1]) <= NO_FINAL:
            spelled += chr(NO_FINAL + FINALS.index(letter.translate(USUAL_FINALS)))
        else:
            spelled += _initial(letter) + _vowel(FILLER_VOWEL)
    return unicodedata.normalize("NFC", spelled)


def _initial(letter: str) -> str:
    return chr(FIRST_INITIAL + INITIALS.index(letter))


def _vowel(letter: str) -> str:
    return chr(FIRST_VOWEL + VOWELS.index(letter))
