"""Read Roman numerals that number something: Chapter IV, Henry VIII, World War II. `I`, `mix` and MIX stay."""

import re

from engines.text.numbers import ordinal, whole
from engines.text.rules import Rule, one_of, rule

UNITS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
TENS = ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")
VALUES = {tens + units: 10 * i + j for i, tens in enumerate(TENS) for j, units in enumerate(UNITS) if i or j}
NUMERAL = one_of(VALUES)
# After any capitalised word, only numerals that are not also a letter, abbreviation or size: "Rocky IV", not "Size XL".
PLAIN = one_of(numeral for numeral, value in VALUES.items() if len(numeral) > 1 and value < 30 and value != 20)
# Words with a cardinal number: "Chapter one".
COUNTED = (
    "Act|Annex|Apollo|Appendix|Article|Book|Canto|Chapter|Class|Corps|Division|Ep|Episode|Exhibit|Figure|Gemini|Grade|"
    "Group|Issue|Lesson|Level|Mark|Model|Movement|Number|Op|Opus|Part|Phase|Plan|Round|Saturn|Scene|Season|Section|Sonata|"
    "Stage|Step|Symphony|Table|Theme|Tier|Title|Tome|Type|Unit|Verse|Vol|Volume|War"
)
# Names of rulers, with an ordinal number: "Henry the eighth".
REIGNED = (
    "Abdullah|Albert|Alexander|Alfonso|Amenhotep|Artaxerxes|Baldwin|Basil|Benedict|Boniface|Carlos|Catherine|Charles|"
    "Christian|Clement|Constantine|Cyrus|Darius|David|Edward|Elizabeth|Eric|Eugene|Felipe|Ferdinand|Francis|Franz|"
    "Frederick|George|Gregory|Gustav|Haakon|Harald|Henri|Henry|Innocent|Ivan|James|John|Joseph|Juan|Julius|Justinian|"
    "Karl|Kenneth|King|Leo|Leopold|Louis|Malcolm|Manuel|Margaret|Mary|Maximilian|Mehmed|Michael|Mindaugas|Murad|"
    "Napoleon|Nicholas|Olaf|Otto|Paul|Pedro|Peter|Philip|Pius|Ptolemy|Ramesses|Ramses|Richard|Robert|Rudolf|Seti|"
    "Sigismund|Stephen|Suleiman|Theodosius|Thutmose|Umberto|Urban|Victor|Wilhelm|William|Xerxes"
)
# "Chapter I opens", but "Part I like": I before any other lower-case word is the pronoun.
NOT_THE_SPEAKER = (
    r"(?!\s+(?!(?:of|is|was|began|begins|ended|ends|opens|and|to|through|in|on|by|for|has|had|at|with)\b)[a-z])"
)
END = r"(?![\w-])"


def _counted(found: re.Match[str]) -> str:
    return f"{found[1]} {whole(str(VALUES[found[2]]))}"


def _reigned(found: re.Match[str]) -> str | None:
    if (found[1], found[2]) == ("Malcolm", "X"):
        return None
    return f"{found[1]} the {ordinal(VALUES[found[2]])}"


ROMANS: tuple[Rule, ...] = (
    rule(rf"\b({COUNTED})\.?\s(?:(I){END}{NOT_THE_SPEAKER})", _counted),
    rule(rf"\b({REIGNED})\s(?:(I){END}{NOT_THE_SPEAKER})", _reigned),
    rule(rf"\b({COUNTED}|Super Bowl|Fantasy)\.?\s(?!I{END})({NUMERAL}){END}", _counted),
    rule(rf"\b({REIGNED})\s(?!I{END})({NUMERAL}){END}", _reigned),
    rule(rf"\b({NUMERAL})(?=\s[Cc]entur(?:y|ies)\b)", lambda m: ordinal(VALUES[m[1]]) if m[1] != "I" else None),
    rule(rf"(?<![\w-])([A-Z][a-z]+)\s({PLAIN}){END}", _counted),
)
