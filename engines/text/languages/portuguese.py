"""Portuguese: numbers with the gender of the following noun. Brazilian unless the region is Portugal."""

import re
from dataclasses import replace

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.romance import FractionParts, ruler_name, value_of_part, without_s
from engines.text.languages.spelling import cardinal as num2words_cardinal
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, listed, rule

FEMININE = re.compile(r"(?:[^m]as?|ãs?|ção|ções|são|sões|dades?|gens?)$")
FEMININE_WORDS = listed(
    "vez vezes noite noites mulher mulheres parte partes tarde tardes flor flores luz luzes chave chaves lei leis "
    "rede foto fotos moto motos tribo tribos redes mão mãos voz vozes gramática semana semanas cama camas alma almas "
    "turma turmas colher colheres fase fases chance chances série séries classe classes base bases frase frases face "
    "faces nave naves torre torres ponte pontes fonte fontes espécie espécies mãe mães equipe equipes sede sedes "
    "greve greves pele peles cruz cruzes raiz raízes atriz atrizes cor cores dor dores ordem ordens nuvem nuvens "
    "análise análises crise crises dose doses vítima vítimas firma firmas lágrima lágrimas rima rimas forma formas "
    "plataforma plataformas arma armas chama chamas dama damas palma palmas norma normas árvore árvores revista "
    "revistas lista listas pista pistas vista vistas entrevista entrevistas alface alfaces couve couves ave aves neve "
    "mente gente serpente serpentes corrente correntes semente sementes lente lentes estante estantes carne carnes"
)
MASCULINE_WORDS = listed(
    "dia dias mapa mapas planeta planetas cometa cometas poeta poetas atleta atletas pirata piratas astronauta "
    "astronautas guarda guardas motorista sofá sofás"
)
NO_NOUNS = listed(
    "e ou de do da dos das num numa pelo pela até sem em a o que com por para é são se as os mas não mais menos como "
    "foi na no às à"
)
A_MONTH = r"de\s(?:jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez)"
RULERS = "Carlos|Pedro|João|Afonso|Luís|Henrique|Filipe|Manuel|Dinis|José|Sancho|Fernando|Maria|Pio|Napoleão"
CHAPTERS = "[Cc]apítulo|[Tt]omo|[Aa]to|[Cc]ena|[Pp]arte|[Ll]ivro|[Vv]olume|[Nn]ível|[Ss]éculo|[Aa]rtigo"


def spell(value: int, locale: str = "pt_BR") -> str:
    """Return a cardinal number without the commas of num2words."""
    said = num2words_cardinal(value, locale).replace(",", "")
    return said.replace("catorze", "quatorze") if locale == "pt_BR" else said


def _cardinal(value: int, noun: str, locale: str = "pt_BR") -> str:
    said = spell(value, locale)
    if (noun.endswith("s") or value == 1) and noun.lower() not in NO_NOUNS and _feminine(noun.lower()):
        said = re.sub(r"(cent|duzent|trezent|quinhent)os\b", r"\1as", said)
        said = re.sub(r"\bum$", "uma", re.sub(r"\bdois$", "duas", said))
    return said


def _feminine(noun: str) -> bool:
    if noun.endswith(("ista", "istas")):
        return noun in FEMININE_WORDS
    return noun in FEMININE_WORDS or (noun not in MASCULINE_WORDS and FEMININE.search(noun) is not None)


def _ordinal(value: int, ending: str) -> str:
    said = spell_ordinal(value, "pt_BR")
    return " ".join(word[:-1] + ending if word.endswith("o") else word for word in said.split())


def _date(day: Day, locale: str = "pt_BR") -> str:
    first = day.day == 1 and locale == "pt_BR"
    said = f"{'primeiro' if first else spell(day.day, locale)} de {day.month_name}"
    return f"{said} de {spell(day.year, locale)}" if day.year else said


def _clock(hour: int, minute: int, before: str, locale: str = "pt_BR") -> str:
    said = _cardinal(hour, "horas", locale)
    return f"{said} e {spell(minute, locale)}" if minute else f"{said} hora{'' if hour == 1 else 's'}"


def _parts(locale: str) -> FractionParts:
    def name(below: int) -> tuple[str, str]:
        one = spell_ordinal(below, "pt_BR") if below <= 10 else f"{spell(below, locale)} avo"
        return one, f"{one}s"

    return FractionParts(
        spell=lambda value, noun: _cardinal(value, noun, locale),
        names={2: ("meio", "meios"), 3: ("terço", "terços")},
        name=name,
        one="um",
        link="e",
        halves=("meio", "meia"),
        half_of=("meio {}", "meia {}"),
        of=lambda noun: "de ",
        is_feminine=_feminine,
        singular=without_s,
        no_nouns=NO_NOUNS,
    )


def _rules(locale: str) -> tuple[Rule, ...]:
    """Return the rules for years, durations, ordinals, Roman numerals and scores."""

    def say(value: int) -> str:
        return spell(value, locale)

    def named(found: re.Match[str]) -> str:
        return ruler_name(found[1], found[2], say, _ordinal)

    return (
        rule(
            r"\b([Ee]m|[Dd]esde|[Aa]té|[Aa]no)\s(1\d{3}|20\d\d)(?![\w%€$]|[.,:/]\d|\s[€%$])",
            lambda m: f"{m[1]} {say(int(m[2]))}",
        ),
        rule(
            r"\b([Ee]m|[Dd]ura|[Dd]urou|[Ll]eva|[Ll]evou|está|tem|há|por|com|após|foram|demora|demorou|faltam|mais)\s(\d{1,2})h([0-5]\d)(?!\w)",
            lambda m: (
                f"{m[1]} {_cardinal(int(m[2]), 'horas', locale)} hora{'' if m[2] == '1' else 's'} e "
                f"{_cardinal(int(m[3]), 'minutos', locale)} minutos"
            ),
        ),
        rule(
            rf"(?<![\w.,])(\d{{1,4}})\.?([ºª°])(?=\s(?!{A_MONTH}|[CF]\b)[^\W\d_]|[,.!?]|$)",
            lambda m: _ordinal(int(m[1]), "a" if m[2] == "ª" else "o"),
        ),
        rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {say(VALUES[m[2]])}"),
        rule(rf"\b({RULERS})\s([IVX])(?![\w-])", named),
        rule(rf"\b([A-ZÀ-Ý][a-zà-ÿ]+)\s({PLAIN})(?![\w-])", named),
        rule(r"(?<![\w.,])(\d{1,2})\s?x\s?(\d{1,2})(?![\w.,]\d|\w)", lambda m: f"{say(int(m[1]))} a {say(int(m[2]))}"),
    )


PARTS = _parts("pt_BR")

GRAMMAR = Grammar(
    locale="pt",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=PARTS.fraction,
    mixed=PARTS.mixed,
    part_of=PARTS.part_of,
    value_of_part=value_of_part,
    rules=_rules("pt_BR"),
    noun_of=lambda first, second: second if first == "mil" and second else first,
    times=("vez", "vezes"),
    last_link="e ",
    decimal="{} vírgula {}",
    decimals_as_number=True,
    span="{} a {}",
    score_words="perdeu|perderam|perde|venceu|venceram|vence|ganhou|empatou|placar|derrota|vitória",
    score="{} a {}",
    minus="menos",
    plus="mais",
    phone_words="telefone|tel|celular|fax|(?:ligue|liga) para(?: o)?",
    day_mark="[º°]",
    of="de",
    date_words="[Dd]ia",
    hours="horas?|h",
    money={
        "R$": Money(forms=("real", "reais"), cents=("centavo", "centavos")),
        "€": Money(forms=("euro", "euros"), cents=("centavo", "centavos")),
        "$": Money(forms=("dólar", "dólares"), cents=("centavo", "centavos")),
        "US$": Money(forms=("dólar", "dólares"), cents=("centavo", "centavos")),
        "£": Money(forms=("libra", "libras"), cents=("penny", "pence")),
        "¥": Money(forms=("iene", "ienes")),
    },
    codes={"EUR": "€", "BRL": "R$"},
    cents="{main} e {cents}",
    per="o",
    scales={
        "cv": ("cavalo", "cavalos"),
        "unid": ("unidade", "unidades"),
        "pts": ("ponto", "pontos"),
        "milhão": ("milhão", "milhões"),
        "milhões": ("milhão", "milhões"),
        "mi": ("milhão", "milhões"),
        "bilhão": ("bilhão", "bilhões"),
        "bilhões": ("bilhão", "bilhões"),
        "bi": ("bilhão", "bilhões"),
    },
    scale_link=PARTS.of,
    plural_noun=r"(?!mais\b|dos\b|das\b|nos\b|nas\b|são\b|menos\b|após\b|mas\b)[a-zà-ÿ]{3,23}s",
    abbreviations={
        "Sr.": "senhor",
        "Sra.": "senhora",
        "Srta.": "senhorita",
        "Dr.": "doutor",
        "Dra.": "doutora",
        "Prof.": "professor",
        "Profa.": "professora",
        "p. ex.": "por exemplo",
        "n.º": "número",
        "nº": "número",
        "Av.": "Avenida",
        "tel.": "telefone",
        "pág.": "página",
        "págs.": "páginas",
        "a. C.": "antes de Cristo",
        "d. C.": "depois de Cristo",
        "Eng.": "engenheiro",
        "Sto.": "Santo",
        "Sta.": "Santa",
        "séc.": "século",
        "aprox.": "aproximadamente",
    },
    labels={"cap.": "capítulo", "vol.": "volume", "art.": "artigo"},
    closings={"etc.": "et cetera"},
    acronyms=listed("EUA USP UE USB DNA IBGE IPTU") - listed("USP"),
    signs={
        "&": "e",
        "+": "mais",
        "=": "igual a",
        "%": "por cento",
        "§": "parágrafo",
        "@": "arroba",
        "×": "vezes",
        "÷": "dividido por",
        "±": "mais ou menos",
        "≈": "aproximadamente",
        "≤": "no máximo",
        "≥": "no mínimo",
        "²": "ao quadrado",
        "³": "ao cubo",
        "°": "graus",
        "€": "euros",
        "$": "dólares",
        "£": "libras",
    },
    marks={
        ".": "ponto",
        "@": "arroba",
        "/": "barra",
        "-": "hífen",
        "_": "sublinhado",
        ":": "dois pontos",
        "?": "ponto de interrogação",
        "=": "igual",
        "&": "e",
        "#": "cerquilha",
        "%": "por cento",
        "+": "mais",
        "~": "til",
    },
    hashtag="hashtag",
    number_sign="número",
)
EUROPEAN_PARTS = _parts("pt")
EUROPEAN_MONEY = {
    "€": Money(forms=("euro", "euros"), cents=("cêntimo", "cêntimos")),
    "$": Money(forms=("dólar", "dólares"), cents=("cêntimo", "cêntimos")),
    "US$": Money(forms=("dólar", "dólares"), cents=("cêntimo", "cêntimos")),
}
REGIONS = {
    "PT": replace(
        GRAMMAR,
        locale="pt_PT",
        cardinal=lambda value, noun: _cardinal(value, noun, "pt"),
        date=lambda day: _date(day, "pt"),
        clock=lambda hour, minute, before: _clock(hour, minute, before, "pt"),
        fraction=EUROPEAN_PARTS.fraction,
        mixed=EUROPEAN_PARTS.mixed,
        part_of=EUROPEAN_PARTS.part_of,
        rules=_rules("pt"),
        phone_words="telefone|telef|tel|telemóvel|fax|(?:ligue|liga) para(?: o)?",
        money={**GRAMMAR.money, **EUROPEAN_MONEY},
    )
}
