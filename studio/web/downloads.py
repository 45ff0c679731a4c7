"""Make names of downloads safe in headers and on file systems. The names come from sheets, champions and visitors."""

import re
import unicodedata
from pathlib import PurePosixPath
from urllib.parse import quote

NAME_BYTES = 200  # file systems allow 255
UNSAFE = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
# Browsers read escapes in quoted names in different ways (RFC 6266, appendix D).
UNQUOTABLE = re.compile(r'[^\x20-\x7e]|["%\\]')


def attachment(name: str) -> dict[str, str]:
    """Return the header with which a browser saves an answer under this name (RFC 6266)."""
    safe = download_name(name)
    plain = UNQUOTABLE.sub("_", _unaccented(safe))
    return {"content-disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(safe, safe='')}"}


def download_name(name: str) -> str:
    """Return the name without folders and control characters, shortened for file systems, and never empty."""
    safe = UNSAFE.sub("_", name).strip(" .") or "download"
    ending = PurePosixPath(safe).suffix[:20]
    stem = safe.removesuffix(ending).encode()[: NAME_BYTES - len(ending.encode())].decode(errors="ignore")
    return f"{stem}{ending}"


def _unaccented(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))
