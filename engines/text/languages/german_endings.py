"""Endings of German ordinals: the words before an ordinal and the gender of its noun decide them."""

import re

from engines.text.rules import listed

FEMININE = re.compile(r"(?:e|ung|heit|keit|schaft|ion|tät|ik|ur)$")
FEMININE_WORDS = listed(
    "Nacht Stadt Frau Mark Woche Hand Wand Bank Person Etage Liga Runde Klasse Minute Stunde Zahl "
    "Schwester Mutter Tochter Feder Nummer Feier Mauer Schulter Gabel Tafel Regel Insel Tür Arbeit Zeit Welt Luft Kraft "
    "Nuss Kuh Maus Gans Wurst Angst Form Art Fahrt"
)
NEUTER_WORDS = listed(
    "Mal Kind Kapitel Jahrhundert Jahr Haus Spiel Tor Buch Bild Stockwerk Semester Quartal Kilo Pfund Glas Brot Stück "
    "Ei Zimmer Bett Paket Dutzend Wort Foto Video Auto Level Ticket Leben Team Land Dorf Tier Pferd Schaf Huhn Schwein "
    "Bier Wasser Hemd Kleid Heft Blatt Gerät Handy Bad Fenster Rennen Rezept Gramm Prozent Drittel Viertel"
)
NEUTER = re.compile(r"(?:chen|lein|gramm|zimmer|ment|um)$")
NOT_FEMININE = NEUTER_WORDS | listed(
    "Name Käse Junge Kunde Löwe Affe Hase Kollege Zeuge Experte Buchstabe Gedanke Ende Auge Interesse Gebäude Gemüse "
    "Knabe Neffe Riese Bote Drache Kaffee Tee See Café Erbe Gebirge Getränke Abitur Futur"
)
PREPOSITIONS = (
    "in|an|auf|nach|vor|mit|bei|seit|aus|zu|von|ab|über|unter|neben|hinter|zwischen|während|trotz|wegen|bis zu"
)
ARTICLES = (
    "der|die|das|den|dem|des|am|im|vom|zum|zur|beim|ein|eine|einen|einem|einer|eines|jeder|jede|jedes|jeden|jedem|"
    "dieser|diese|dieses|diesen|diesem|mein|meine|unser|unsere|ihr|ihre|sein|seine"
)
WEEKDAYS = {
    "Mo": "Montag", "Di": "Dienstag", "Mi": "Mittwoch", "Do": "Donnerstag", "Fr": "Freitag", "Sa": "Samstag", "So": "Sonntag"
}  # fmt: skip
ARTICLE = re.compile(
    rf"(?:\b({PREPOSITIONS})\s)?\b({ARTICLES})\s(?:(?:{'|'.join(WEEKDAYS.values())}),?\s)?$", re.IGNORECASE
)


def is_feminine(noun: str) -> bool:
    """Return True if a noun is feminine by a list or by its ending."""
    return noun in FEMININE_WORDS or (noun not in NOT_FEMININE and FEMININE.search(noun) is not None)


def is_neuter(noun: str) -> bool:
    """Return True if a noun is neuter by a list or by its ending."""
    return noun in NEUTER_WORDS or NEUTER.search(noun) is not None


def ending(before: str, noun: str = "") -> str:
    """Return the ending of an ordinal after the words `before`. Without an article, this is the ending of the nominative."""
    found = ARTICLE.search(before)
    if found is None:
        return "e" if is_feminine(noun) else "es" if is_neuter(noun) else "er"
    article = found[2].lower()
    if article in ("die", "das", "eine", "diese", "jede", "meine", "unsere", "ihre", "seine"):
        return "e"
    if article == "der":
        return "en" if found[1] else "e"
    if article in ("ein", "mein", "unser", "ihr", "sein"):
        return "es" if is_neuter(noun) else "er"
    return "e" if article in ("dieser", "jeder", "dieses", "jedes") and not found[1] else "en"
