"""Champions as `{championId}.tar.gz`: packing, unpacking of untrusted files, verification, renewal."""

from studio.archive.errors import BadArchive
from studio.archive.limits import LIMITS, ArchiveLimits
from studio.archive.packing import Packed, pack
from studio.archive.renewal import renew
from studio.archive.unpacking import CheckWeights, Unpacked, unpack
from studio.archive.verification import Verdict, verify

__all__ = [
    "LIMITS",
    "ArchiveLimits",
    "BadArchive",
    "CheckWeights",
    "Packed",
    "Unpacked",
    "Verdict",
    "pack",
    "renew",
    "unpack",
    "verify",
]
