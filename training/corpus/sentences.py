"""The sentences of the corpus by kind, without held-out ones.

Sources: glosses and examples of WordNet 3.0 (WordNet licence, permissive; Debian `wordnet-base`), The Devil's Dictionary
(1911, public domain; Debian `dict-devil`), the common words of SCOWL (permissive; Debian `scowl`), and templates in this
folder. Lines with uncommon words are left out, because a small network would learn the common words less well.
"""

import gzip
import logging
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.corpus.heldout import is_held_out
from training.corpus.spelling import normalise, words
from training.corpus.templates import KINDS, generate

log = logging.getLogger(__name__)
WORDNET = Path("/usr/share/wordnet")
DEVIL = Path("/usr/share/dictd/devil.dict.dz")
SCOWL = Path("/usr/share/dict/scowl")
SHORTEST, LONGEST = 22, 128  # characters of a sentence; kinds of short sentences have no lower limit
# SCOWL's levels, the most common words first, and how often each level is drawn.
LEVELS, CHANCES = (10, 20, 35), (0.3, 0.35, 0.35)
RARER = (40, 50)  # SCOWL's levels of words that may occur in lines of dictionaries, but are not drawn
SMALL = (
    "the", "a", "of", "and", "to", "in", "is", "was", "my", "your", "it", "on", "for", "with", "that", "not", "from",
)  # fmt: skip

Sentences = dict[str, list[str]]  # kind -> lines


def build(
    seed: int, folder: Path = WORDNET, devil: Path = DEVIL, scowl: Path = SCOWL, generated: int = 30_000
) -> Sentences:
    """Return all sentences for training, shuffled within their kind. Deterministic by seed."""
    rng = random.Random(seed)
    common = [_common(scowl, level) for level in LEVELS]
    known = set("ai").union(*common, *(_common(scowl, level) for level in RARER))
    glosses, examples = _wordnet(folder)
    kinds = {"words": _clean(_shuffled(common, 2 * generated, rng))}
    for kind, lines in (("gloss", glosses), ("example", examples), ("tale", _devil(devil))):
        kinds[kind] = [line for line in _clean(lines) if known.issuperset(words(line))]
    for kind in KINDS:
        kinds[kind] = _clean(generate(kind, generated, rng), shortest=2)
    kinds["word"] = _clean(_alone(common, generated, rng), shortest=2)
    for kind, lines in kinds.items():
        rng.shuffle(lines)
        log.info("%s: %d sentences", kind, len(lines))
    return kinds


def _common(scowl: Path, level: int) -> list[str]:
    paths = [scowl / f"{kind}.{level}" for kind in ("english-words", "american-words", "english-contractions")]
    if not paths[0].exists():
        raise FileNotFoundError(f"{paths[0]} is missing; install Debian's scowl")
    rows = (row for path in paths if path.exists() for row in path.read_text(encoding="latin-1").splitlines())
    return [row for row in rows if re.fullmatch("[a-z]{2,}('[a-z]+)?", row)]


def _shuffled(common: list[list[str]], count: int, rng: random.Random) -> Iterator[str]:
    """Yield lines of random common words with small words between them. All common words are about equally frequent."""
    for _ in range(count):
        line = ""
        for level in rng.choices(range(len(common)), CHANCES, k=rng.randint(3, 7)):
            small = rng.choice(SMALL) + " " if rng.random() < 0.5 else ""
            line += rng.choice((" ", " ", " ", " ", ", ")) + small + rng.choice(common[level])
        yield line + rng.choice("....?!")


def _alone(common: list[list[str]], count: int, rng: random.Random) -> Iterator[str]:
    """Yield lines of one word, from the most common words."""
    plain = [word for level in common[:2] for word in level if "'" not in word]
    for _ in range(count):
        yield rng.choice(plain) + rng.choice("....?!")


def _clean(lines: Iterable[str], shortest: int = SHORTEST) -> list[str]:
    kept: dict[str, None] = {}
    for line in lines:
        text = normalise(line)
        if text and shortest <= len(text) <= LONGEST and not is_held_out(text):
            kept[text] = None
    return list(kept)


def _wordnet(folder: Path) -> tuple[list[str], list[str]]:
    """Return definitions, and their quoted examples."""
    definitions: list[str] = []
    examples: list[str] = []
    for part in ("noun", "verb", "adj", "adv"):
        path = folder / f"data.{part}"
        if not path.exists():
            raise FileNotFoundError(f"{path} is missing; install Debian's wordnet-base")
        for row in path.read_text(encoding="latin-1").splitlines():
            if row.startswith("  ") or "|" not in row:
                continue
            gloss = row.split("|", 1)[1]
            examples += [example.strip(" .;") + _mark(example) for example in re.findall(r'"([^"]+)"', gloss)]
            definition = re.sub(r"\([^)]*\)", "", re.sub(r'"[^"]*"?', "", gloss)).strip(" ;")
            definitions += [piece.strip() + "." for piece in definition.split(";") if piece.strip()]
    return definitions, examples


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
