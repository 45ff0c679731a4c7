"""Convert text to tokens: the checkpoint's vocabulary, with upstream's pinyin converter if the vocabulary needs it."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from engines.errors import BadCheckpoint

HAN = frozenset((0x3007, *range(0x3100, 0xA000)))  # code points that the pinyin converter looks up


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The symbols of a checkpoint. Symbol i is token i + 1, because 0 is the network's filler."""

    index: dict[str, int]
    pinyin: bool

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """Read a file with one symbol a line, the first of which is the space. Raises BadCheckpoint."""
        symbols = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        if not symbols or symbols[0] != " ":
            raise BadCheckpoint(f"{path.name}: the first line must be a space; use the vocab.txt of the checkpoint")
        index = {symbol: number for number, symbol in enumerate(symbols)}
        return cls(index, any(len(symbol) > 1 for symbol in symbols))

    @property
    def size(self) -> int:
        """Return the number of symbols."""
        return len(self.index)

    @property
    def characters(self) -> frozenset[str]:
        """Return the characters that a text for this checkpoint may contain."""
        single = frozenset(symbol for symbol in self.index if len(symbol) == 1)
        return single | _with_reading() if self.pinyin else single

    def tokens(self, text: str) -> Tensor:
        """Return the (t,) ids of a text; an unknown symbol becomes a space, as in upstream."""
        symbols = _pinyin()([text])[0] if self.pinyin else list(text)
        return torch.tensor([self.index.get(symbol, 0) + 1 for symbol in symbols], dtype=torch.long)


@cache
def _with_reading() -> frozenset[str]:
    """Return the characters that the pinyin converter turns into syllables; other ones would be silent."""
    from pypinyin.pinyin_dict import pinyin_dict  # the import takes a fifth of a second

    return frozenset(map(chr, HAN.intersection(pinyin_dict)))


@cache
def _pinyin() -> Callable[[list[str]], list[list[str]]]:
    """Load f5-tts's pinyin converter from its file: importing the package takes ten seconds."""
    package = importlib.util.find_spec("f5_tts")
    if package is None or not package.submodule_search_locations:
        raise BadCheckpoint("this checkpoint needs the f5-tts package for pinyin; install f5-tts")
    file = Path(package.submodule_search_locations[0]) / "model" / "utils.py"
    spec = importlib.util.spec_from_file_location("f5_tts_front_end", file)
    if spec is None or spec.loader is None:
        raise BadCheckpoint(f"{file}: could not be read; install f5-tts again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    convert: Callable[[list[str]], list[list[str]]] = module.convert_char_to_pinyin
    return convert
