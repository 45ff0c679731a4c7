"""Expand abbreviations: titles, streets, parts of a book, months, days, and everyday short forms."""

import calendar
import re

from engines.text.rules import CLEARLY_ENDS, Rule, cased, one_of, rule, stop

# Expanded before a name or at the end of a phrase.
TITLES = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Mx": "Mix", "Dr": "Doctor", "Prof": "Professor", "Capt": "Captain",
    "Gen": "General", "Lt": "Lieutenant", "Sgt": "Sergeant", "Col": "Colonel", "Maj": "Major", "Cpl": "Corporal",
    "Pvt": "Private", "Cmdr": "Commander", "Adm": "Admiral", "Rev": "Reverend", "Gov": "Governor", "Sen": "Senator",
    "Rep": "Representative", "Pres": "President", "Hon": "Honorable", "Fr": "Father", "Supt": "Superintendent",
    "Mt": "Mount", "Ft": "Fort", "Pt": "Point", "Messrs": "Messieurs", "Mme": "Madame", "Sr": "Senior", "Jr": "Junior",
}  # fmt: skip
EVERYWHERE = "Mr|Mrs|Ms|Mx|Messrs"  # titles that have no other meaning; expanded everywhere
BARE = "Mr|Mrs|Ms|Dr|Prof"  # written without a dot in British English
BEHIND_A_NAME = {
    "Jr": "Junior", "Sr": "Senior", "Esq": "Esquire", "Inc": "Incorporated", "Ltd": "Limited", "Corp": "Corporation",
    "Co": "Company", "Bros": "Brothers", "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Ln": "Lane", "Dr": "Drive",
    "Hwy": "Highway", "Pkwy": "Parkway", "Sq": "Square", "Univ": "University", "Dept": "Department",
}  # fmt: skip
# "St." before one of these means "Saint", also after another name: "Mount St. Helens", but "Main St. Then".
SAINTS = (
    "Albans|Andrew|Andrews|Ann|Anne|Anselm|Anthony|Augustine|Barts|Basil|Bede|Benedict|Bernard|Bonaventure|Catherine|"
    "Cecilia|Charles|Christopher|Clair|Clare|Cloud|Croix|Cuthbert|David|Denis|Dominic|Elizabeth|Elmo|Emilion|Francis|"
    "Gabriel|Gallen|George|Germain|Giles|Gregory|Helena|Helens|Ignatius|Ives|James|Jerome|Joan|John|Johns|Joseph|Jude|"
    "Kilda|Kitts|Lawrence|Louis|Lucia|Luke|Maarten|Margaret|Mark|Martin|Mary|Matthew|Michael|Moritz|Nicholas|Nick|Olaf|"
    "Pancras|Patrick|Paul|Pauli|Peter|Peters|Petersburg|Pierre|Sebastian|Simon|Stephen|Teresa|Thomas|Tropez|Ursula|"
    "Valentine|Vincent|Xavier"
)
# Expanded before a number, with the plural before a range. A space may follow the dot: "ch.12", "fig 3".
PARTS = {
    "ch": ("chapter", "chapters"), "chap": ("chapter", "chapters"), "fig": ("figure", "figures"),
    "figs": ("figures", "figures"), "vol": ("volume", "volumes"), "sec": ("section", "sections"),
    "sect": ("section", "sections"), "ep": ("episode", "episodes"),
    "eq": ("equation", "equations"), "pt": ("part", "parts"),
    "pp": ("pages", "pages"), "pg": ("page", "pages"), "p": ("page", "pages"), "no": ("number", "numbers"),
    "nos": ("numbers", "numbers"), "nr": ("number", "numbers"), "lvl": ("level", "levels"), "apt": ("apartment", "apartments"),
    "ste": ("suite", "suites"), "rm": ("room", "rooms"), "bldg": ("building", "buildings"), 
    "ver": ("version", "versions"), "ext": ("extension", "extensions"),
    "tel": ("telephone", "telephones"), "approx": ("approximately", "approximately"),
}  # fmt: skip
WITHOUT_A_DOT = "ch|chap|fig|figs|vol|ep|pp|pg|lvl|apt|bldg"
SHORT_FORMS = {
    "e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "vs.": "versus", "vs": "versus",
    "approx.": "approximately", "dept.": "department", "w/o": "without", "w/": "with", "a.k.a.": "also known as",
    "et al.": "and others", "ph.d.": "P H D", "ph.d": "P H D", "m.sc.": "M S C", "b.sc.": "B S C", "cf.": "compare",
    "viz.": "namely", "incl.": "including", "excl.": "excluding", "govt.": "government", "a.k.a": "also known as",
    "n/a": "not applicable", "asst.": "assistant", "c/o": "care of",
}  # fmt: skip
MAY_END = ("etc.", "al.", "h.d.", "sc.")
MONTHS = {name: month for name, month in zip(calendar.month_abbr, calendar.month_name, strict=True) if name != month}
DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Thur": "Thursday",
    "Thurs": "Thursday", "Fri": "Friday", "Sat": "Saturday", "Sun": "Sunday",
}  # fmt: skip
ANY_DAY, ANY_MONTH = one_of(DAYS), one_of([*MONTHS, "Sept"])
BEFORE_A_NAME = r"(?=\s+[A-Z])"


def _part(found: re.Match[str]) -> str:
    single, several = PARTS[found[1].lower()]
    said = several if found[2] else single
    return cased(found[1], said) + " "


def _behind_a_name(found: re.Match[str]) -> str | None:
    """Expand streets and firms after a capitalised word; "Dr." before a name is not "Drive"."""
    before = found.string[max(0, found.start() - 40) : found.start()].split()[-1]
    if not (before[:1].isupper() or before[:1].isdigit()):
        return None
    if found[1] == "Dr" and re.match(r"\s+[A-Z]", found.string[found.end() : found.end() + 9]):
        return None
    return BEHIND_A_NAME[found[1]] + stop(found, CLEARLY_ENDS)


def _street(found: re.Match[str]) -> str:
    return f"{found[1]} Street{stop(found, CLEARLY_ENDS)}"


def _day(name: str) -> str:
    return DAYS[name]


ABBREVIATIONS: tuple[Rule, ...] = (
    rule(
        rf"(?<!\w)({one_of(SHORT_FORMS)})(?!\w)",
        lambda m: cased(m[0], SHORT_FORMS[m[0].lower()]) + (stop(m) if m[0].lower().endswith(MAY_END) else ""),
        re.IGNORECASE,
    ),
    rule(
        rf"\b({EVERYWHERE})\.",
        lambda m: TITLES[m[1]] + ("." if re.match(r"\s*$", m.string[m.end() : m.end() + 9]) else ""),
    ),
    rule(rf"\b({BARE})(?=\s+(?:[A-Z]|&|and\b))", lambda m: TITLES[m[1]]),
    rule(r"\bSt\.(?=\s?(?:" + SAINTS + r")\b)", lambda m: "Saint"),
    rule(r"(?<![.!?] )\b([A-Z][a-z]+|\d{1,3}(?:st|nd|rd|th)) St\.", _street),
    rule(rf"\bSt\.{BEFORE_A_NAME}", lambda m: "Saint"),
    rule(r"\bSt\.", lambda m: f"Street{stop(m)}"),
    rule(rf"(?<=[\w,] )({one_of(BEHIND_A_NAME)})\.", _behind_a_name),
    rule(rf"\b({one_of(TITLES)})\.{BEFORE_A_NAME}", lambda m: TITLES[m[1]]),
    rule(rf"(?<=[a-z)] )(?:ft|feat)\.{BEFORE_A_NAME}", lambda m: "featuring"),
    rule(r"\bDr\.", lambda m: f"Doctor{stop(m)}"),
    rule(
        rf"(?<![\w.])({one_of(PARTS)})\.\s?(?=\d+(\s?[-–—]\s?\d)?)",
        _part,
        re.IGNORECASE,
    ),
    rule(rf"(?<![\w.])({WITHOUT_A_DOT})\s(?=\d+(\s?[-–—]\s?\d)?)", _part, re.IGNORECASE),
    rule(rf"\b({ANY_DAY})\.?\s?[-–—]\s?({ANY_DAY})\b\.?", lambda m: f"{_day(m[1])} to {_day(m[2])}{stop(m)}"),
    rule(r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri)\.(?=[\s,]|$)", lambda m: _day(m[1]) + stop(m)),
    rule(
        rf"\b({ANY_DAY})(?:\.,?(?=\s\d)|\.?,?(?=\s(?:{ANY_MONTH}|{one_of(MONTHS.values())})\b))",
        lambda m: f"{_day(m[1])},",
    ),
    rule(rf"\b({ANY_MONTH})\.(?!\s?\d)(?=[\s,)]|$)", lambda m: MONTHS[m[1][:3]] + stop(m)),
    rule(r"\b(?:ca?\.)\s?(?=1\d{3}\b)", lambda m: "circa "),
    rule(r"(?:№|#)\s?(?=\d)", lambda m: "number "),
    rule(r"\b(?:version\s)?v(?=\d+\.\d)", lambda m: "version ", re.IGNORECASE),
)
