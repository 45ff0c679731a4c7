"""Champions as files, `{championId}.tar.gz`: packed, unpacked from unknown hands, verified."""

from studio.champions.archive.errors import BadArchive
from studio.champions.archive.limits import LIMITS, Limits
from studio.champions.archive.packing import Packed, pack
from studio.champions.archive.progress import Told
from studio.champions.archive.unpacking import Unpacked, Vet, unpack
from studio.champions.archive.verifying import Verdict, verify

__all__ = ["LIMITS", "BadArchive", "Limits", "Packed", "Told", "Unpacked", "Verdict", "Vet", "pack", "unpack", "verify"]
