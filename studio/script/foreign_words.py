"""Recognize texts that are not English, by frequent words, accents and scripts.

The lists contain no word that is also English, so two words are enough. Texts of one or two words, such as barks, often stay
undecided.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

KEPT = 32_768  # maximum number of cached texts
ENOUGH = 2  # number of different signs of one language that are needed
WORD = re.compile(r"[^\W\d_]+")
ASIDE = re.compile(r"\[[^\]]*\]|\([^)]*\)|<[^>]*>")  # directions and tags, which are in English in all languages

FREQUENT = {
    "French": """le la les un une des du de et est sont suis es êtes sommes je tu il elle nous vous ils elles ce cette
        ces cet mon ma mes ton ta tes notre votre leur leurs que qui quoi dans avec sans chez vers mais donc
        parce pas ne plus jamais rien tout tous toute toi moi lui oui merci bonjour ici très bien fait être
        avoir avons avez ont jusqu aller allez allons faut peut veux sais voilà où au aux se sera était""",
    "German": """der das den dem ein eine einen einem einer und ist sind bin bist ich du er sie wir ihr mich dich uns
        euch mir dir nicht kein keine auf aus bei mit nach von zu zum zur vom im ins für über unter hinter
        zwischen wenn weil dass aber oder auch noch schon nur mehr sehr wie wo wer warum hier dort jetzt immer
        nie ja nein danke bitte mein dein sein unser haben habe hast hatte werden wird wurde kann muss müssen
        wollen müde bis des haltet""",
    "Spanish": """el la los las un una unos del es son está están estoy eres soy somos yo tú él ella nosotros ellos mi
        tu su que qué quien quién donde dónde cuando como cómo pero porque con sin por para muy más nada nunca
        siempre aquí allí ahora hay tengo tiene voy vamos puede puedo quiero gracias hola sí señor esto esta
        ese eso detrás hasta al lo le les nos te se ya también todo todos""",
    "Italian": """il lo la gli un una di del della dei delle sono sei siamo io tu lui lei noi voi loro mio mia tuo tua
        suo sua che chi cosa dove quando perché ma con senza per molto più niente mai sempre qui adesso ora ho
        hai abbiamo grazie ciao sì non questo questa quello dietro fino al alla nel nella sul sulla tutti
        tutto andiamo te""",
    "Portuguese": """os uma um do da dos das no na nos nas são está estou eu tu ele ela nós eles meu minha seu sua que quem
        onde quando mas porque com sem por para muito mais nada nunca sempre aqui agora há tenho tem vou vamos
        pode quero obrigado olá sim não isto isso ao você também até""",
    "Dutch": """het een van en zijn ben bent ik jij je hij zij wij jullie mij jou ons niet geen op uit bij met naar
        voor achter tussen als omdat dat maar ook nog al heel hoe waar wie waarom hier daar nu altijd nooit ja
        nee dank mijn jouw hebben heb heeft wordt kan moet wil deze dit""",
    "Polish": """nie się jest są jestem jesteś to na do że ale jak gdzie kiedy dlaczego kto co czy tak już tylko bardzo
        zawsze nigdy tutaj teraz mój moja twój jego jej nas was mnie ciebie dla przez przed za""",
}
ENGLISH_WORDS = """the a an and or but if of to in on at by for with from is are was were be been am do does did have has had
    not no so as it its he she we you they i me him her us them my your his our their this that these those
    what who where when why how there here all can will would shall must one out up down go get now then men
    man long die war hat son do come"""
WORDS: Mapping[str, frozenset[str]] = {language: frozenset(words.split()) for language, words in FREQUENT.items()}
ENGLISH = frozenset(ENGLISH_WORDS.split())
ACCENTS = {
    "French": "éèêëàâçùûîïôœ",
    "German": "äöüß",
    "Spanish": "ñáíóú¿¡",
    "Italian": "èàìòù",
    "Portuguese": "ãõçáéê",
    "Polish": "łąęśżźćń",
}
# Languages by the first word of a letter's Unicode name.
SCRIPTS = {
    "CYRILLIC": "Russian",
    "GREEK": "Greek",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CJK": "Chinese",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "DEVANAGARI": "Hindi",
}


@lru_cache(KEPT)
def foreign_language(text: str) -> str:
    """Return the English name of the language that the text seems to be in; "" for English and undecided texts."""
    spoken = ASIDE.sub(" ", text).casefold()
    if script := _script(spoken):
        return script
    words = set(WORD.findall(spoken))
    signs = {language: sum(1 for _ in _signs(language, words, spoken)) for language in WORDS}
    language = max(signs, key=lambda name: signs[name])
    english = len(words & ENGLISH)
    return language if signs[language] >= ENOUGH and signs[language] > english else ""


def _signs(language: str, words: set[str], spoken: str) -> Iterator[str]:
    yield from (word for word in words & WORDS[language] if word not in ENGLISH)
    yield from (word for word in words if word not in WORDS[language] and set(word) & set(ACCENTS.get(language, "")))
    yield from (mark for mark in "¿¡" if mark in spoken and mark in ACCENTS.get(language, ""))


def _script(spoken: str) -> str:
    """Return the language of most letters, by writing system; "" for Latin."""
    letters = [letter for letter in spoken if letter.isalpha()]
    names: Sequence[str] = [unicodedata.name(letter, "").partition(" ")[0].partition("-")[0] for letter in letters]
    found = [SCRIPTS[name] for name in names if name in SCRIPTS]
    if not found or 2 * len(found) < len(letters):
        return ""
    return "Japanese" if "Japanese" in found else max(set(found), key=found.count)
