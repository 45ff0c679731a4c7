"""Champions as files, `{championId}.tar.gz`: packed, unpacked from unknown hands, verified."""

from studio.archive.errors import BadArchive
from studio.archive.limits import LIMITS, Limits
from studio.archive.pack import Packed, pack
from studio.archive.progress import Told
from studio.archive.unpack import Unpacked, Vet, unpack
from studio.archive.verification import Verdict, verify

__all__ = ["LIMITS", "BadArchive", "Limits", "Packed", "Told", "Unpacked", "Verdict", "Vet", "pack", "unpack", "verify"]
