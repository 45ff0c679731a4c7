"""From text to tokens: the checkpoint's vocabulary and upstream's pinyin front-end where the vocabulary needs it."""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from engines.errors import BadCheckpoint

HAN = frozenset(map(chr, range(0x3100, 0xA000)))  # what the pinyin front-end turns into syllables


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The symbols of a checkpoint; symbol i is token i + 1, since 0 is the network's filler."""

    index: dict[str, int]
    pinyin: bool

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        """One symbol a line, the first one the space. Raises BadCheckpoint."""
        symbols = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        if not symbols or symbols[0] != " ":
            raise BadCheckpoint(f"{path.name}: the first line of a vocabulary is a space; this file is not one")
        index = {symbol: number for number, symbol in enumerate(symbols)}
        return cls(index, any(len(symbol) > 1 for symbol in symbols))

    @property
    def size(self) -> int:
        """Number of symbols."""
        return len(self.index)

    @property
    def characters(self) -> frozenset[str]:
        """What may stand in a text for this checkpoint."""
        single = frozenset(symbol for symbol in self.index if len(symbol) == 1)
        return single | HAN if self.pinyin else single

    def tokens(self, text: str) -> Tensor:
        """(t,) ids of a text; a symbol the vocabulary lacks becomes a space, as upstream has it."""
        symbols = _pinyin()([text])[0] if self.pinyin else list(text)
        return torch.tensor([self.index.get(symbol, 0) + 1 for symbol in symbols], dtype=torch.long)


@cache
def _pinyin() -> Callable[[list[str]], list[list[str]]]:
    """f5-tts's own converter, loaded from its file: importing the package itself costs ten seconds of training code."""
    package = importlib.util.find_spec("f5_tts")
    if package is None or not package.submodule_search_locations:
        raise BadCheckpoint("this checkpoint speaks through pinyin, which needs the f5-tts package; install it")
    file = Path(package.submodule_search_locations[0]) / "model" / "utils.py"
    spec = importlib.util.spec_from_file_location("f5_tts_front_end", file)
    if spec is None or spec.loader is None:
        raise BadCheckpoint(f"{file}: cannot be read; install f5-tts again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    convert: Callable[[list[str]], list[list[str]]] = module.convert_char_to_pinyin
    return convert
