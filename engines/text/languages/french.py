"""French: numbers in the traditional spelling, telephone numbers in pairs."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.romance import FractionParts, value_of_part, without_s
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, listed, rule

FEMININE = re.compile(
    r"(?:tion|sion|xion|aison|té|ée|ure|ance|ence|esse|euse|trice|ade|ère|ie|ille|ine|ise|ude|ue|ande|asse|isse|ousse|ouche|"
    r"tte|lle|nne|rche)s?$"
)
MASCULINE_WORDS = listed(
    "côté été comité traité pâté musée lycée trophée stade grade camarade incendie génie magazine frère père mystère caractère "
    "critère cimetière silence gorille intervalle violoncelle murmure mercure parapluie foie dé café bébé marché degré"
)
FEMININE_WORDS = listed(
    "petite grande seule heure minute seconde page fois personne semaine année journée nuit fille femme voiture "
    "maison ville tonne table tasse chaise étoile place question image ligne pièce chambre porte partie équipe saison "
    "étape histoire bouteille pomme fleur lettre feuille carte chose erreur couleur erreurs mère sœur orange poire "
    "rose vie voix école église île cerise fraise crème main fin mer part croix noix paix souris vis brebis forêt eau "
    "peau dent jument soif mort fourmi cuillère cuiller plage marche montre clé clef carotte banane soupe lampe roue "
    "règle classe langue guerre terre bombe boîte brique pile prise ampoule robe jupe veste chemise chaussure botte "
    "tour moto photo radio auto vidéo pizza salade bière date note phrase marge couche route lune bulle poule chèvre "
    "vache mouche abeille demi- demande commande amende ronde planche branche tranche manche gousse pincée cible "
    "attaque défense tête balle ligue coupe finale arme flèche épée pierre potion quête vague course piste montagne "
    "rivière gare adresse tâche"
)
ORDERED = re.compile(r"\s(?:siècles?|République|arrondissement|dynastie|armée|Reich|Internationale|légion|régiment)\b")
NO_NOUNS = listed(
    "de des du et à au aux est sont par pour dans en ou le la les un une sur avec sans ont a qui que ne se plus moins finale"
)
RULERS = "Charles|Henri|Philippe|Louis|Napoléon|Jean|Albert|Baudouin|Pie|Léon"
CHAPTERS = "[Cc]hapitre|[Tt]ome|[Aa]cte|[Ss]cène|[Pp]artie|[Ll]ivre|[Aa]rticle|[Aa]nnexe|[Nn]iveau|[Tt]itre"


def _cardinal(value: int, noun: str) -> str:
    said = spell(value, "fr")
    if noun and re.search(r"\bun$", said) and _feminine(noun):
        return f"{said}e"
    return said


def _feminine(noun: str) -> bool:
    word = noun.lower().removesuffix("s")
    return word in FEMININE_WORDS or (word not in MASCULINE_WORDS and FEMININE.search(word) is not None)


def _ordinal(value: int, mark: str) -> str:
    if value == 1:
        return "première" if mark in ("re", "ère") else "premier"
    if value == 2 and mark in ("nd", "nde"):
        return "second" if mark == "nd" else "seconde"
    return spell_ordinal(value, "fr")


def _date(day: Day) -> str:
    said = f"{'premier' if day.day == 1 else spell(day.day, 'fr')} {day.month_name}"
    return f"{said} {spell(day.year, 'fr')}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = f"{_cardinal(hour, 'heure')} heure{'s' if hour > 1 else ''}"
    return f"{said} {_cardinal(minute, 'minute')}" if minute else said


PARTS = FractionParts(
    spell=_cardinal,
    names={2: ("demi", "demis"), 3: ("tiers", "tiers"), 4: ("quart", "quarts")},
    name=lambda below: (spell_ordinal(below, "fr"), f"{spell_ordinal(below, 'fr')}s"),
    one="un",
    link="et",
    halves=("demi", "demie"),
    half_of=("un demi-{}", "une demi-{}"),
    of=lambda noun: "d'" if noun[:1] in "aeéiouyhœ" else "de ",
    is_feminine=_feminine,
    singular=without_s,
    no_nouns=NO_NOUNS,
)


def _roman(found: re.Match[str]) -> str | None:
    """Read XXe as twentieth; Le, Me, Ce and De are words, and Ve is an ordinal before some nouns only."""
    numeral, mark = found[1], found[2]
    if mark in ("er", "re") and numeral != "I":
        return None
    if len(numeral) == 1 and mark == "e" and not ORDERED.match(found.string, found.end()):
        return None
    return _ordinal(VALUES[numeral], mark)


RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![\w.,])(\d{1,4})(ers?|res?|ères?|èmes?|emes?|ndes?|nds?|es?)(?!\w)",
        lambda m: _ordinal(int(m[1]), m[2].removesuffix("s")),
    ),
    rule(rf"(?<!\w)({NUMERAL})(er|re|ère|ème|e)(?!\w)", _roman),
    rule(r"\bSt(e?)-([A-ZÀ-Ý]\w{0,30})", lambda m: f"Saint{m[1]}-{m[2]}"),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]], 'fr')}"),
    rule(rf"\b({RULERS})\s([VX])(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]], 'fr')}"),
    rule(rf"\b([A-ZÀ-Ý][a-zà-ÿ-]+)\s({PLAIN})(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]], 'fr')}"),
)

GRAMMAR = Grammar(
    locale="fr",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=PARTS.fraction,
    mixed=PARTS.mixed,
    part_of=PARTS.part_of,
    value_of_part=value_of_part,
    gap_before_colon=True,
    times=("fois", "fois"),
    last_link="et ",
    rules=RULES,
    decimal="{} virgule {}",
    decimals_as_number=True,
    span="{} à {}",
    score_words="perdu|perd|battue?s?|bat|gagné|gagne|mène|menait|incline|score|victoire|défaite",
    score="{} à {}",
    minus="moins",
    plus="plus",
    phone_pairs=True,
    phone_words="téléphone|tél|fax|portable|appele[rz] le|appelez-nous au|composez le",
    day_mark="er",
    of="de",
    date_words="[Ll]e|[Aa]u|[Dd]u",
    hours="heures?|h",
    money={
        "€": Money(forms=("euro", "euros"), cents=("centime", "centimes")),
        "$": Money(forms=("dollar", "dollars"), cents=("cent", "cents")),
        "US$": Money(forms=("dollar américain", "dollars américains"), cents=("cent", "cents")),
        "£": Money(forms=("livre", "livres"), cents=("penny", "pence")),
        "¥": Money(forms=("yen", "yens")),
    },
    codes={"EUR": "€"},
    cents="{main} {count}",
    per="le",
    scales={
        "ch": ("cheval", "chevaux"),
        "pers": ("personne", "personnes"),
        "pts": ("point", "points"),
        "million": ("million", "millions"),
        "millions": ("million", "millions"),
        "milliard": ("milliard", "milliards"),
        "milliards": ("milliard", "milliards"),
        "M": ("million", "millions"),
        "Md": ("milliard", "milliards"),
    },
    scale_link=PARTS.of,
    plural_noun=r"(?!dans\b|sans\b|plus\b|mais\b|depuis\b|moins\b|des\b|les\b|ces\b|vers\b)[a-zà-ÿœ]{3,23}[sx]",
    units={
        "c. à s.": "volume-tablespoon",
        "c. à c.": "volume-teaspoon",
        "Go": "digital-gigabyte",
        "Mo": "digital-megabyte",
        "Ko": "digital-kilobyte",
        "To": "digital-terabyte",
    },
    abbreviations={
        "M.": "monsieur",
        "MM.": "messieurs",
        "Mme": "madame",
        "Mmes": "mesdames",
        "Mlle": "mademoiselle",
        "Mlles": "mesdemoiselles",
        "Dr": "docteur",
        "Dr.": "docteur",
        "Pr": "professeur",
        "p. ex.": "par exemple",
        "n°": "numéro",
        "nº": "numéro",
        "c.-à-d.": "c'est-à-dire",
        "tél.": "téléphone",
        "av.": "avenue",
        "bd": "boulevard",
        "env.": "environ",
        "av. J.-C.": "avant Jésus-Christ",
        "apr. J.-C.": "après Jésus-Christ",
    },
    labels={"p.": "page", "chap.": "chapitre", "vol.": "volume", "fig.": "figure"},
    closings={"etc.": "et cetera"},
    acronyms=listed("USA UE ONU RATP CEDEX EDF TVA URSS UV USB ADN OGM IRM") - listed("ONU CEDEX"),
    signs={
        "&": "et",
        "+": "plus",
        "=": "égale",
        "%": "pour cent",
        "§": "paragraphe",
        "@": "arobase",
        "×": "fois",
        "÷": "divisé par",
        "±": "plus ou moins",
        "≈": "environ",
        "≤": "au plus",
        "≥": "au moins",
        "²": "au carré",
        "³": "au cube",
        "°": "degrés",
        "€": "euros",
        "$": "dollars",
        "£": "livres",
    },
    marks={
        ".": "point",
        "@": "arobase",
        "/": "barre oblique",
        "-": "tiret",
        "_": "tiret bas",
        ":": "deux-points",
        "?": "point d'interrogation",
        "=": "égale",
        "&": "et",
        "#": "dièse",
        "%": "pour cent",
        "+": "plus",
        "~": "tilde",
    },
    hashtag="hashtag",
    number_sign="numéro",
)
