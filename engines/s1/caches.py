"""References as the network takes them, kept: codes by what is heard, prompts by what is heard and read."""

import contextlib
import logging
import os
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

log = logging.getLogger(__name__)

CODES_KEPT = 64  # in memory; on disk they are small and stay


@dataclass(slots=True)
class Hits:
    """How often a cache knew the answer."""

    found: int = 0
    missed: int = 0


class CodeStore:
    """(codebooks, frames) codes of clips, by digest: in memory, and as memory-mapped files that survive a restart.

    `sizes` tells how many codes each codebook has.

    Any thread may call it.
    """

    def __init__(self, folder: Path | None, sizes: Sequence[int]) -> None:
        self._folder, self._sizes = folder, np.array(sizes)[:, None]
        self._kept: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = Hits()

    def get(self, digest: str) -> Tensor | None:
        with self._lock:
            codes = self._kept.get(digest)
        if codes is None:
            codes = self._read(digest)
        if codes is None:
            self.hits.missed += 1
            return None
        self.hits.found += 1
        return self._remember(digest, codes)

    def put(self, digest: str, codes: Tensor) -> Tensor:
        """Keep codes; a disk that is full costs only the next start."""
        if self._folder is not None:
            try:
                self._write(self._folder, digest, codes)
            except OSError as error:
                log.warning("a reference's codes could not be kept on disk (%s)", error)
        return self._remember(digest, codes)

    def _remember(self, digest: str, codes: Tensor) -> Tensor:
        with self._lock:
            self._kept[digest] = codes
            self._kept.move_to_end(digest)
            if len(self._kept) > CODES_KEPT:
                self._kept.popitem(last=False)
        return codes

    def _read(self, digest: str) -> Tensor | None:
        if self._folder is None:
            return None
        path = self._folder / f"{digest}.npy"
        try:
            held = np.load(path, mmap_mode="r", allow_pickle=False)
            if held.dtype != np.int16 or held.ndim != 2 or len(held) != len(self._sizes):
                raise ValueError("it holds no codes")
            if (held < 0).any() or (held >= self._sizes).any():
                raise ValueError("it holds codes that no codebook has")
            return torch.from_numpy(held.astype(np.int64))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError) as error:
            log.warning("a reference's kept codes are broken (%s); they are made again", error)
            with contextlib.suppress(OSError):  # of a folder that cannot be written either
                path.unlink(missing_ok=True)
            return None

    def _write(self, folder: Path, digest: str, codes: Tensor) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.save(file, codes.cpu().numpy().astype(np.int16))
            os.replace(name, folder / f"{digest}.npy")
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


class PrefixStore:
    """What the slow stack remembers of read references, least recently used first to go."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, Tensor] = OrderedDict()  # each (layers, 2, kv_heads, length, head_dim)
        self.hits = Hits()

    @property
    def bytes(self) -> int:
        return sum(kept.numel() * kept.element_size() for kept in self._kept.values())

    def get(self, digest: str) -> Tensor | None:
        kept = self._kept.get(digest)
        if kept is None:
            self.hits.missed += 1
            return None
        self._kept.move_to_end(digest)
        self.hits.found += 1
        return kept

    def put(self, digest: str, prefix: Tensor) -> None:
        self._kept[digest] = prefix
        while self._kept and self.bytes > self._most_bytes:
            self._kept.popitem(last=False)
