"""Compare the spoken form with published text normalisers, on the case tables of the tests.

`python -m bench.normalisation [LANGUAGE ...]` prints how many rows each program converts as the case table says. The comparison
ignores spaces, hyphens, punctuation marks and capital letters. Install the other programs to get their columns:

    uv pip install wetext nemo_text_processing

The tables follow style guides that this project chose, so a peer loses rows where it follows another guide.
"""

import argparse
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from engines.text import SPOKEN_LANGUAGES, spoken_form
from engines.text.language_tags import ENGLISH

log = logging.getLogger("bench.normalisation")
TABLES = Path(__file__).parents[1] / "tests" / "engines" / "text" / "languages"
Convert = Callable[[str], str]
NOT_LETTERS = re.compile(r"[\W_]+")


def ours(language: str) -> Convert:
    """Return this project's spoken form."""
    return lambda text: spoken_form(text, language)


def num2words_alone(language: str) -> Convert | None:
    """Return a program that spells each run of digits and changes nothing else; num2words has no Chinese."""
    module = import_module("num2words")
    name = {"pt": "pt_BR"}.get(language, language)
    if name not in module.CONVERTER_CLASSES:
        return None
    return lambda text: re.sub(r"\d{1,12}", lambda found: str(module.num2words(int(found[0]), lang=name)), text)


def wetext(language: str) -> Convert | None:
    """Return WeTextProcessing without its compiler, for English, Chinese and Japanese."""
    if language not in (ENGLISH, "ja", "zh"):
        return None
    convert: Convert = import_module("wetext").Normalizer(lang=language, operator="tn").normalize
    return convert


def nemo(language: str) -> Convert | None:
    """Return NVIDIA's NeMo text processing, where it has a grammar for written text."""
    module = import_module("nemo_text_processing.text_normalization.normalize")
    try:
        built = module.Normalizer(input_case="cased", lang=language)
    except (ImportError, NotImplementedError, KeyError, ValueError, UnboundLocalError) as error:
        log.warning("NeMo does not load a grammar for %s: %r", language, error)
        return None
    return lambda text: str(built.normalize(text))


PEERS: dict[str, tuple[str, Callable[[str], Convert | None]]] = {
    "this project": ("num2words", ours),
    "num2words alone": ("num2words", num2words_alone),
    "wetext": ("wetext", wetext),
    "NeMo": ("nemo_text_processing", nemo),
}


def rows(language: str) -> list[tuple[str, str]]:
    """Return the written and spoken forms of a language's table, without texts of several lines or with pauses."""
    path = TABLES.parent / "english.tsv" if language == ENGLISH else TABLES / f"{language}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.removeprefix("!").split("\t") for line in lines if "\t" in line and not line.startswith("# ")]
    return [(written, spoken) for written, spoken in pairs if "\\n" not in written and "[pause" not in spoken]


def right(convert: Convert, language: str) -> tuple[int, float]:
    """Count the rows that a program reads as the table says, and time the median row in milliseconds."""
    count, times = 0, []
    for written, spoken in rows(language):
        began = time.perf_counter()
        try:
            said = convert(written)
        except Exception:
            said = ""
        times.append(time.perf_counter() - began)
        count += _letters(said) == _letters(spoken)
    return count, 1000 * sorted(times)[len(times) // 2]


def _letters(text: str) -> str:
    return NOT_LETTERS.sub("", text.casefold())


def table(languages: list[str]) -> Iterator[str]:
    """Yield the lines of the comparison as a Markdown table."""
    peers = {name: make for name, (module, make) in PEERS.items() if find_spec(module)}
    yield "| language | rows | " + " | ".join(f"{name}, right | {name}, ms a row" for name in peers) + " |"
    yield "|---|" + "---|" * (1 + 2 * len(peers))
    for language in languages:
        cells = []
        for make in peers.values():
            convert = make(language)
            cells.append("– | –" if convert is None else "{} | {:.2f}".format(*right(convert, language)))
        yield f"| {language} | {len(rows(language))} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=SPOKEN_LANGUAGES)
    for line in table(parser.parse_args().languages):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
