"""Limits on archives: which members they may have, and sizes of everything in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.champions.members import METADATA, ORIGINAL, PORTRAITS, REFERENCE, SHIM, TRANSCRIPT, WEIGHTS

KIB, MIB, GIB = 2**10, 2**20, 2**30

MEMBERS: Mapping[str, int] = {
    REFERENCE: 64 * MIB,
    ORIGINAL: 64 * MIB,
    TRANSCRIPT: 64 * KIB,
    METADATA: 256 * KIB,
    WEIGHTS: 6 * GIB,  # F5's own training checkpoints, optimizer included, have 5.4 GB
    **dict.fromkeys(PORTRAITS, 8 * MIB),
    **dict.fromkeys(SHIM, 256 * KIB),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """Sizes in bytes."""

    members: Mapping[str, int] = field(default_factory=lambda: MEMBERS)  # the only names there may be
    litter: int = MIB  # each file that a file manager adds
    extended: int = 64 * KIB  # each header of dates and attributes
    entries: int = 256  # headers of every kind
    gzip_members: int = 2**18  # bgzip begins one every 64 KiB
    total: int = 7 * GIB  # unpacked
    ratio: int = 200  # unpacked to packed, once `ratio_free` is passed; silence and zeros shrink a lot, voices do not
    ratio_free: int = 16 * MIB
    padding: int = 64 * KIB  # zeros after the end


LIMITS = ArchiveLimits()
