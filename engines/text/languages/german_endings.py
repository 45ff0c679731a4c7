"""Endings of German ordinals: the words before an ordinal and the gender of its noun decide them."""

import re

from engines.text.rules import listed

FEMININE = re.compile(
    r"(?:e|ung|heit|keit|schaft|ion|tät|ik|ur|enz|erei|lei|tei|zei|(?:er|nd|ng|eg|st|nt|rt|kt|zt|ig|öch)in|"
    r"(?i:nacht|stadt|frau|wand|hand|bank|maus|gans|wurst|kunst|luft|kraft|frucht|nuss|haut|burg|schnur|uhr|tür|spur|zahl|"
    r"wahl|zeit|arbeit|welt|form|art|fahrt|nummer|mutter|tochter|schwester|tafel|regel|insel|gabel|feder|mauer|oper|kammer|"
    r"steuer|zwiebel|kartoffel|schüssel|nudel|kugel|ampel|formel|schachtel|muschel|nadel|waffel|wurzel|vokabel|mandel|pizza|"
    r"kamera|firma|party|mail|app|box|show|tour|bar|paprika))$"
)
FEMININE_WORDS = listed(
    "Mark Person Liga Schulter Angst Butter Leiter Dauer Faser Leber Ziffer Klammer Axt Braut Faust Brust Tat Naht "
    "Post Last Frist Million Cola Oma Mama Villa Aula Salami Kiwi Mango Avocado Couch Jury City Lady Story Null Eins "
    "SMS CD DVD Kuh Sau Macht Schlacht Flucht Sucht Lust Not Stirn Bahn U-Bahn S-Bahn Autobahn Straßenbahn Milch Qual "
    "Schuld Geduld Jagd Jugend Tugend Gegend Antwort Ankunft Zukunft Auskunft Unterkunft Werft Schrift Überschrift "
    "Ecke Prüfung Diät"
)
NEUTER_WORDS = listed(
    "Mal Kapitel Jahrhundert Stockwerk Semester Quartal Kilo Pfund Ei Dutzend Gramm Prozent Drittel Viertel Handy Bad "
    "Huhn Schaf Schwein Tor Eigentor Remis Jahrzehnt Date Match Set Hotel Restaurant Café Taxi Boot Schiff Flugzeug "
    "Rad Fahrrad Motorrad Konto Passwort Upgrade Update Spiel Schwert Schild Herz Ass Visum Essen Getränk Dessert Eis "
    "Menü Steak Sandwich Museum Konzert Festival Problem Projekt Thema Komma Sofa Sieb Messer"
)
NEUTER = re.compile(
    r"(?:chen|lein|gramm|ment|um|(?i:zimmer|haus|spiel|buch|bild|jahr|kind|glas|brot|stück|paket|ticket|foto|video|auto|bett|"
    r"wort|land|dorf|tier|pferd|bier|wasser|hemd|kleid|heft|blatt|gerät|fenster|rennen|rezept|team|level|leben|geschoss))$"
)
NOT_FEMININE = NEUTER_WORDS | listed(
    "Start Gewand Strand Rand Sand Brand Bart Irrtum Reichtum Konsum Name Käse Junge Kunde Löwe Affe Hase Kollege "
    "Zeuge Experte Buchstabe Gedanke Ende Auge Interesse Gebäude Gemüse Knabe Neffe Riese Bote Drache Kaffee Tee See "
    "Café Erbe Gebirge Getränke Abitur Futur"
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
# "vom 1. bis 5. Mai", "am 3. und 4. Mai", "ab 1. Mai"
AFTER_DATE = re.compile(
    r"\b(?:(?:am|vom|zum|den|dem|der)\s\S{1,30}\s(?:und|oder|bis|bis zum)|bis|ab|seit|vor|nach)\s$", re.IGNORECASE
)
DATIVE = re.compile(r"\b(?:in|an|auf|mit|bei|von|aus|zu)\s$", re.IGNORECASE)
ARTICLE = re.compile(
    rf"(?:\b({PREPOSITIONS})\s)?\b({ARTICLES})\s(?:(?:{'|'.join(WEEKDAYS.values())}),?\s)?$", re.IGNORECASE
)


def is_feminine(noun: str) -> bool:
    """Return True if a noun is feminine by a list or by its ending."""
    if noun in FEMININE_WORDS:
        return True
    return noun not in NOT_FEMININE and not is_neuter(noun) and FEMININE.search(noun) is not None


def is_neuter(noun: str) -> bool:
    """Return True if a noun is neuter by a list or by its ending."""
    return noun in NEUTER_WORDS or (noun not in FEMININE_WORDS and NEUTER.search(noun) is not None)


def ending(before: str, noun: str = "") -> str:
    """Return the ending of an ordinal after the words `before`. Without an article, this is the ending of the nominative."""
    found = ARTICLE.search(before)
    if found is None and AFTER_DATE.search(before):
        return "en"
    if found is None and DATIVE.search(before):
        return "er" if is_feminine(noun) else "em"
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
