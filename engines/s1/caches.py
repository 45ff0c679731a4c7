"""Caches of S1: a clip's codes by its sound, a reference's keys and values by its sound and transcript."""

import contextlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.runtime.publishing import publishing

log = logging.getLogger(__name__)

CODES_KEPT = 64  # in memory; on disk they are small and stay


@dataclass(slots=True)
class CacheHits:
    """Lookups of a cache."""

    found: int = 0
    missed: int = 0


class CodeStore:
    """(codebooks, frames) codes of clips, by digest: in memory, and as memory-mapped files that survive a restart.

    Any thread may call it.
    """

    def __init__(self, folder: Path | None, sizes: Sequence[int]) -> None:
        """`folder` None keeps nothing on disk; `sizes` is the number of codes of each codebook."""
        self._folder, self._sizes = folder, np.array(sizes)[:, None]
        self._kept: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = CacheHits()

    def get(self, digest: str) -> Tensor | None:
        """Codes from memory or disk; None where there are none, or broken ones."""
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
        """Keep codes and return them; a full disk is no error, they are then encoded again after a restart."""
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
        # Readable by its owner alone, as it is made of somebody's voice; not synced, as it can be made again.
        with publishing(folder / f"{digest}.npy", sync=False) as [part], open(part, "xb", opener=_private) as file:
            np.save(file, codes.cpu().numpy().astype(np.int16))


class PrefixStore:
    """Keys and values of references in the slow stack, evicted least recently used first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Tensor] = OrderedDict()  # each (layers, 2, kv_heads, length, head_dim)
        self.hits = CacheHits()

    @property
    def bytes(self) -> int:
        """Bytes of all that is kept."""
        return sum(kept.numel() * kept.element_size() for kept in self._kept.values())

    def get(self, digest: str) -> Tensor | None:
        """A reference's keys and values, by the digest of its sound and transcript; None where they are not kept."""
        kept = self._kept.get(digest)
        if kept is None:
            self.hits.missed += 1
            return None
        self._kept.move_to_end(digest)
        self.hits.found += 1
        return kept

    def put(self, digest: str, prefix: Tensor) -> None:
        """Keep (layers, 2, kv_heads, length, head_dim) keys and values, evicting the least recently used."""
        self._kept[digest] = prefix
        while self._kept and self.bytes > self._max_bytes:
            self._kept.popitem(last=False)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
