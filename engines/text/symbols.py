"""Replace symbols by words, and remove pictures."""

import unicodedata

from engines.text.rules import Rule, one_of, rule

SIGNS = {
    "&": "and", "+": "plus", "@": "at", "%": "percent", "=": "equals", "×": "times", "÷": "divided by",
    "±": "plus or minus", "≈": "about", "≤": "at most", "≥": "at least", "²": "squared", "³": "cubed", "°": "degrees",
    "€": "euros", "£": "pounds", "¢": "cents", "™": "", "®": "", "©": "",
}  # fmt: skip
SPOKEN_PICTURES = frozenset("№℃℉") | frozenset(SIGNS)
PICTURE_PARTS = frozenset(
    "\ufe0e\ufe0f\u20e3🏻🏼🏽🏾🏿"
)  # variants, key caps and skin tones of the picture before them
EMOTICON = r"(?<![\w:])(?:[:;]['’]?-?[DPpOo](?![\w/])|[xX]D\b|:-?/(?!/)|(?<!\d\s)</?3+(?!\s?[\w.]))"


def is_picture(character: str) -> bool:
    """Return True for an emoji or another picture that is not spoken."""
    if character in SPOKEN_PICTURES:
        return False
    return character in PICTURE_PARTS or unicodedata.category(character) == "So"


SIGNS_OF_NUMBERS: tuple[Rule, ...] = (
    rule(EMOTICON, lambda m: ""),
    rule(r"(?<!\w)#(?=[^\W\d])", lambda m: "hashtag "),
    rule(r"\b([A-G])#(?!\w)", lambda m: f"{m[1]} sharp"),
    rule("[℃℉]", lambda m: unicodedata.normalize("NFKC", m[0])),
)
SIGN_WORDS: tuple[Rule, ...] = (
    rule(r"~(?=\s?\w)", lambda m: "about "),
    rule(rf" ?({one_of(SIGNS)}) ?", lambda m: f" {SIGNS[m[1]]} "),
    rule(r"(?<=\S) ?-{2,}+ ?(?=\w)", lambda m: " — "),
    rule(r" ?-{2,}+", lambda m: "—" if m.start() else ""),
)
