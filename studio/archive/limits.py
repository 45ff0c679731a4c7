"""Limits on archives: allowed members, and the sizes of everything in an archive."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.champion_format.members import METADATA, ORIGINAL, PORTRAITS, REFERENCE, SHIM, TRANSCRIPT, WEIGHTS

KIB, MIB, GIB = 2**10, 2**20, 2**30

MEMBERS: Mapping[str, int] = {
    REFERENCE: 64 * MIB,
    ORIGINAL: 64 * MIB,
    TRANSCRIPT: 64 * KIB,
    METADATA: 256 * KIB,
    WEIGHTS: 6 * GIB,  # F5's training checkpoints with optimizer have 5.4 GB
    **dict.fromkeys(PORTRAITS, 8 * MIB),
    **dict.fromkeys(SHIM, 256 * KIB),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """Limits of an archive; sizes are in bytes."""

    members: Mapping[str, int] = field(default_factory=lambda: MEMBERS)  # allowed names
    junk: int = MIB  # for each file that a file manager adds
    extended: int = 64 * KIB  # for each extended header, which holds dates and attributes
    entries: int = 256  # headers of every kind
    gzip_members: int = 2**18  # bgzip begins a new member every 64 KiB
    total: int = 7 * GIB  # unpacked
    # Most unpacked bytes per packed byte, after the first `ratio_free`. Silence and zeros shrink a lot, voices do not.
    ratio: int = 200
    ratio_free: int = 16 * MIB
    padding: int = 64 * KIB  # zeros after the end of the archive


LIMITS = ArchiveLimits()
