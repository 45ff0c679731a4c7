"""The sentences of the corpus, by kind, none of them held out.

Sources: glosses and examples of WordNet 3.0 (WordNet licence, permissive; Debian `wordnet-base`), The Devil's Dictionary
(1911, public domain; Debian `dict-devil`), and this folder's own templates.
"""

import gzip
import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path

from assets.voices.corpus.heldout import is_held_out
from assets.voices.corpus.spelling import normalise
from assets.voices.corpus.templates import KINDS, generate

log = logging.getLogger(__name__)
WORDNET = Path("/usr/share/wordnet")
DEVIL = Path("/usr/share/dictd/devil.dict.dz")
SHORTEST, LONGEST = 22, 128  # characters of a sentence; the short kinds are exempt from the lower bound

Sentences = dict[str, list[str]]  # kind -> lines


def build(seed: int, folder: Path = WORDNET, devil: Path = DEVIL, generated: int = 30_000) -> Sentences:
    """Every sentence that may be spoken in training, shuffled within its kind. Deterministic by seed."""
    rng = random.Random(seed)
    kinds = {"book": _clean(_wordnet(folder)), "tale": _clean(_devil(devil))}
    for kind in KINDS:
        kinds[kind] = _clean(generate(kind, generated, rng), shortest=2)
    for kind, lines in kinds.items():
        rng.shuffle(lines)
        log.info("%s: %d sentences", kind, len(lines))
    return kinds


def _clean(lines: Iterator[str], shortest: int = SHORTEST) -> list[str]:
    kept = {}
    for line in lines:
        text = normalise(line)
        if text and shortest <= len(text) <= LONGEST and not is_held_out(text):
            kept[text] = None
    return list(kept)


def _wordnet(folder: Path) -> Iterator[str]:
    for part in ("noun", "verb", "adj", "adv"):
        path = folder / f"data.{part}"
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing; install Debian's wordnet-base")
        for row in path.read_text(encoding="latin-1").splitlines():
            if row.startswith("  ") or "|" not in row:
                continue
            yield from _gloss(row.split("|", 1)[1])


def _gloss(gloss: str) -> Iterator[str]:
    """The definition, and each quoted example, as sentences of their own."""
    yield from (example.strip(" .;") + _mark(example) for example in re.findall(r'"([^"]+)"', gloss))
    definition = re.sub(r"\([^)]*\)", "", re.sub(r'"[^"]*"?', "", gloss)).strip(" ;")
    yield from (piece.strip() + "." for piece in definition.split(";") if piece.strip())


def _mark(example: str) -> str:
    return "" if example.rstrip().endswith(("?", "!")) else "."


def _devil(path: Path) -> Iterator[str]:
    if not path.exists():
        log.warning("%s is missing (Debian dict-devil): going on without it", path)
        return
    text = re.sub(r"\s+", " ", gzip.decompress(path.read_bytes()).decode("latin-1"))
    yield from (sentence.strip() for sentence in re.findall(r"[A-Z][^.?!]+[.?!]", text))


def write_sentences(sentences: Sentences, path: Path) -> None:
    rows = (f"{kind}\t{line}\n" for kind, lines in sentences.items() for line in lines)
    path.write_bytes(gzip.compress("".join(rows).encode(), 9, mtime=0))


def read_sentences(path: Path) -> Sentences:
    kinds: Sentences = {}
    for row in gzip.decompress(path.read_bytes()).decode().splitlines():
        kind, line = row.split("\t", 1)
        if not is_held_out(line):
            kinds.setdefault(kind, []).append(line)
    return kinds
