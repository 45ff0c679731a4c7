"""Sort the entries of an archive into members of a champion, entries to skip, and entries to refuse."""

import tarfile

from studio.archive.errors import BadArchive
from studio.archive.limits import ArchiveLimits

KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.CONTTYPE: "a contiguous file",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
APPLE_DOUBLE = "._"  # prefix of files in which macOS stores attributes of other files
# Files that file managers and file systems add to folders (macOS, Windows, KDE, Synology), in lower case.
JUNK_FILES = frozenset(
    (
        ".ds_store",
        ".localized",
        ".apdisk",
        "icon\r",
        "thumbs.db",
        "ehthumbs.db",
        "ehthumbs_vista.db",
        "desktop.ini",
        ".directory",
    )
)
JUNK_FOLDERS = frozenset(
    (
        *("__macosx", ".appledouble", ".fseventsd", ".spotlight-v100", ".temporaryitems", ".trashes"),
        *("$recycle.bin", "system volume information", "@eadir"),
    )
)
SHIM_FOLDER = ["1"]
TOP_MAX, SHOWN_MAX = 100, 80  # characters


class Layout:
    """The entries read so far. Each may occur once, and all must be in one folder."""

    def __init__(self, limits: ArchiveLimits) -> None:
        self._limits = limits
        self._places: set[str] = set()  # "" = the archive's root
        self._seen: set[str] = set()

    def place(self, header: tarfile.TarInfo) -> str | None:
        """Return the member that an entry is, or None if the entry is skipped. Raises BadArchive."""
        if header.type in LONG_NAMES:
            raise BadArchive(
                "a name in the archive has over 100 characters; shorten the name and pack the archive again"
            )
        if header.type not in (*FILES, tarfile.DIRTYPE):
            kind = KINDS.get(header.type, "an unknown kind of entry")
            raise BadArchive(
                f"{printable(header.name)} is {kind}; an archive may contain only files and folders; "
                "remove the entry and pack the archive again"
            )
        parts = _parts(header.name)
        if _is_junk(parts):
            _check_size(header, 0 if header.isdir() else self._limits.junk)
            return None
        if not header.isdir():
            return self._member(parts, header)
        self._check_folder(parts, header)
        return None

    def _check_folder(self, parts: list[str], header: tarfile.TarInfo) -> None:
        if parts[1:] not in ([], SHIM_FOLDER):
            raise BadArchive(
                f"the folder {printable(header.name)} does not belong to a champion; remove the folder and pack "
                "the archive again"
            )
        _check_size(header, 0)
        if parts and parts != SHIM_FOLDER:
            self._settle(parts[0])

    def _member(self, parts: list[str], header: tarfile.TarInfo) -> str:
        allowed = self._limits.members
        depth = next((depth for depth in (0, 1) if "/".join(parts[depth:]) in allowed), None)
        if depth is None:
            raise BadArchive(
                f"{printable(header.name)} does not belong to a champion; remove the file and pack the archive again"
            )
        name = "/".join(parts[depth:])
        self._settle("".join(parts[:depth]))
        if name in self._seen:
            raise BadArchive(f"{name} is in the archive twice; remove one copy and pack the archive again")
        self._seen.add(name)
        _check_size(header, allowed[name])
        return name

    def _settle(self, place: str) -> None:
        if len(place) > TOP_MAX or not place.isprintable() or "\\" in place:
            raise BadArchive(
                f"the folder name {printable(place)} is not allowed; rename the folder and pack the archive again"
            )
        self._places.add(place)
        if len(self._places) > 1:
            raise BadArchive(
                "the files are in more than one folder; put all files into one folder and pack the archive again"
            )


def printable(name: str) -> str:
    """Return an untrusted name in printable form: ASCII, shortened."""
    plain = ascii(name)
    return plain if len(plain) <= SHOWN_MAX else f"{plain[:SHOWN_MAX]}…'"


def _is_junk(parts: list[str]) -> bool:
    last = "".join(parts[-1:])
    if last.startswith(APPLE_DOUBLE) or last.lower() in JUNK_FILES:
        return True
    return not JUNK_FOLDERS.isdisjoint(part.lower() for part in parts)


def _parts(name: str) -> list[str]:
    parts = name.split("/")
    if not parts[0] and len(parts) > 1:
        raise BadArchive(f"{printable(name)} is an absolute path; pack the files from inside their folder")
    if ".." in parts:
        raise BadArchive(f"{printable(name)} points outside the archive; pack the files from inside their folder")
    while parts and parts[0] in (".", ""):
        parts = parts[1:]
    return parts


def _check_size(header: tarfile.TarInfo, most: int) -> None:
    if not 0 <= header.size <= most:
        size = f"{header.size / 1e6:,.1f} MB" if header.size > 0 else "an invalid size"
        raise BadArchive(
            f"{printable(header.name)} has {size}, but the limit is {most / 1e6:,.1f} MB; use a smaller file"
        )
