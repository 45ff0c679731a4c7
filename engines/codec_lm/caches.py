"""Caches: the codes of a clip, and the keys and values of a reference with its transcript."""

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
from engines.types import CacheUse

log = logging.getLogger(__name__)

CODES_KEPT = 64  # in memory; files on disk are small and stay


@dataclass(slots=True)
class CacheHits:
    """Counts of cache lookups."""

    found: int = 0
    missed: int = 0


class CodeStore:
    """The (codebooks, frames) codes of clips by digest, in memory and in memory-mapped files that survive a restart.

    Any thread may call it.
    """

    def __init__(self, folder: Path | None, sizes: Sequence[int]) -> None:
        """Create the store; without a `folder`, nothing is stored on disk; `sizes` are the sizes of the codebooks."""
        self._folder, self._sizes = folder, np.array(sizes)[:, None]
        self._kept: OrderedDict[str, Tensor] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = CacheHits()

    def __contains__(self, digest: str) -> bool:
        """Return True if `get` probably finds codes, without reading a file."""
        with self._lock:
            kept = digest in self._kept
        return kept or (self._folder is not None and (self._folder / f"{digest}.npy").exists())

    def get(self, digest: str) -> Tensor | None:
        """Return codes from memory or disk; None if there are none or the file is damaged."""
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
        """Store codes and return them. If the disk is full, they are only kept in memory."""
        if self._folder is not None:
            try:
                self._write(self._folder, digest, codes)
            except OSError as error:
                log.warning("storing the codes of a reference on disk failed (%s)", error)
        return self._remember(digest, codes)

    @property
    def use(self) -> CacheUse:
        """Return entries and bytes in memory, and the lookups."""
        with self._lock:
            kept = list(self._kept.values())
        return _use("codes", kept, self.hits)

    def clear(self) -> None:
        """Remove all codes, also the files. Raises OSError."""
        with self._lock:
            self._kept.clear()
        if self._folder is not None:
            for path in self._folder.glob("*.npy"):
                path.unlink(missing_ok=True)

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
                raise ValueError("the file has no codes")
            if (held < 0).any() or (held >= self._sizes).any():
                raise ValueError("the file has codes out of range")
            return torch.from_numpy(held.astype(np.int64))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError) as error:
            log.warning("the stored codes of a reference are damaged (%s); encoding it again", error)
            with contextlib.suppress(OSError):  # the folder may be read-only
                path.unlink(missing_ok=True)
            return None

    def _write(self, folder: Path, digest: str, codes: Tensor) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # Only the owner may read the file, as it is derived from a voice. It needs no sync, as it can be computed again.
        with publishing(folder / f"{digest}.npy", sync=False) as [part], open(part, "xb", opener=_private) as file:
            np.save(file, codes.cpu().numpy().astype(np.int16))


class PrefixStore:
    """Keys and values of references, evicted least recently used first."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, Tensor] = OrderedDict()  # each (layers, 2, kv_heads, length, head_dim)
        self.hits = CacheHits()

    @property
    def bytes(self) -> int:
        """Return the bytes of all cached keys and values."""
        return self.use.bytes

    @property
    def use(self) -> CacheUse:
        """Return entries, bytes and lookups."""
        return _use("prefixes", list(self._kept.values()), self.hits)

    def clear(self) -> None:
        """Remove all keys and values."""
        self._kept.clear()

    def get(self, digest: str) -> Tensor | None:
        """Return the keys and values of a reference by the digest of its audio and transcript; None if they are not cached."""
        kept = self._kept.get(digest)
        if kept is not None:
            self._kept.move_to_end(digest)
            self.hits.found += 1
        return kept

    def put(self, digest: str, prefix: Tensor) -> None:
        """Cache (layers, 2, kv_heads, length, head_dim) keys and values that were missed; evict the least recently used."""
        self.hits.missed += 1
        self._kept[digest] = prefix
        while self._kept and self.bytes > self._max_bytes:
            self._kept.popitem(last=False)


def _use(name: str, kept: Sequence[Tensor], hits: CacheHits) -> CacheUse:
    bytes = sum(each.numel() * each.element_size() for each in kept)
    return CacheUse(name=name, entries=len(kept), bytes=bytes, found=hits.found, missed=hits.missed)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
