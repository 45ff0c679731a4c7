"""Read the zip archive of an untrusted workbook. XML parts are streamed to handlers, and no part is in memory as a whole.

openpyxl's reader builds objects for the whole part, so a small file can cause minutes of work. A handler here gets one element
at a time, and reading stops when a limit is exceeded.
"""

import io
import posixpath
import zipfile
import zlib
from typing import Protocol
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from studio.script.tables.errors import BadSheet
from studio.script.tables.limits import MAX_ELEMENTS, MAX_PARTS, MAX_UNPACKED, MIB

DEPTH_MOST = 64
NAMES_MOST = 1_000  # limit of different names of elements and attributes, because the parser stores each name
CHUNK = 256 * 2**10  # bytes that are read at a time; a chunk without the end of a tag is refused
SAVE_AGAIN = "open the workbook in a spreadsheet program and save it again as .xlsx or CSV UTF-8"
BROKEN = f"the workbook is damaged; {SAVE_AGAIN}"
TOO_MUCH = f"the workbook unpacks to over {MAX_UNPACKED // MIB} MB; save the sheet as CSV UTF-8 and import the new file"
TOO_MANY_ELEMENTS = (
    "the workbook has too many formats or cells (empty cells count); "
    "save the sheet as CSV UTF-8 and import the new file"
)


class Handler(Protocol):
    """Receives each element of a part, with its name without the namespace."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...
    def text(self, text: str) -> None: ...
    def end(self, tag: str) -> None: ...


class Package:
    """The parts of a workbook by name. The methods raise BadSheet for an invalid workbook."""

    def __init__(self, data: bytes) -> None:
        if data.count(b"PK\x01\x02") > MAX_PARTS:
            raise BadSheet(f"the workbook has over {MAX_PARTS:,} parts; {SAVE_AGAIN}")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise BadSheet(BROKEN) from error
        self._parts = {info.filename: info for info in self._archive.infolist()}
        self._bytes_left = MAX_UNPACKED
        self._elements_left: float = MAX_ELEMENTS

    def __contains__(self, part: str) -> bool:
        return part in self._parts

    def read(self, part: str, handler: Handler) -> None:
        """Pass all elements of a part to the handler. Raises BadSheet."""
        target = _Target(handler, self._elements_left)
        parser = DefusedXMLParser(target=target, forbid_dtd=True)
        try:
            self._feed(part, parser)
            parser.close()
        except DefusedXmlException as error:
            raise BadSheet(
                f"the workbook contains definitions that are not allowed (XML entities); {SAVE_AGAIN}"
            ) from error
        except (ParseError, zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError, OSError) as error:
            raise BadSheet(BROKEN) from error
        self._elements_left = target.left

    def _feed(self, part: str, parser: DefusedXMLParser) -> None:
        info = self._parts[part]
        if info.flag_bits & 1:
            raise BadSheet("the workbook has a password; save the workbook without a password")
        # Only these two compression methods allow a limit on the unpacked size.
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadSheet(BROKEN)
        with self._archive.open(info) as stream:
            while chunk := stream.read(CHUNK):  # sizes that the archive declares may be wrong
                self._bytes_left -= len(chunk)
                if self._bytes_left < 0:
                    raise BadSheet(TOO_MUCH)
                if len(chunk) == CHUNK and b">" not in chunk:
                    raise BadSheet(BROKEN)
                parser.feed(chunk)


class Relations:
    """Names of the parts to which `part` refers, by id."""

    def __init__(self, package: Package, part: str) -> None:
        self._folder, name = posixpath.split(part)
        self._targets: dict[str, str] = {}
        relations = posixpath.join(self._folder, "_rels", f"{name}.rels")
        if relations in package:
            package.read(relations, self)

    def __getitem__(self, relation: str) -> str:
        target = self._targets.get(relation, "")
        return posixpath.normpath(posixpath.join("/", self._folder, target))[1:]

    def of_kind(self, kind: str) -> str:
        """Return the part of this kind, such as "styles"; "" if there is none. There is at most one."""
        return self[kind] if kind in self._targets else ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship":
            target = attributes.get("Target", "")
            self._targets[attributes.get("Id", "")] = target
            self._targets[posixpath.basename(attributes.get("Type", ""))] = target

    def text(self, text: str) -> None: ...
    def end(self, tag: str) -> None: ...


class _Target:
    """Passes events of the parser to the handler, with names without namespaces, and limits the number of events."""

    def __init__(self, handler: Handler, left: float) -> None:
        self.left = left
        self.data = handler.text
        self._handler = handler
        self._names: dict[str, str] = {}
        self._attributes: set[str] = set()
        self._depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.left -= 1 + len(attributes) / 3  # in proportion to the processing time
        self._depth += 1
        self._attributes.update(attributes)
        names = max(len(self._names), len(self._attributes))
        if self.left < 0 or self._depth > DEPTH_MOST or names > NAMES_MOST:
            raise BadSheet(TOO_MANY_ELEMENTS)
        self._handler.start(self._local(tag), attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._handler.end(self._local(tag))

    def close(self) -> None:
        """Return nothing; the parser requires this method."""

    def _local(self, tag: str) -> str:
        return self._names.get(tag) or self._names.setdefault(tag, tag.rpartition("}")[2])
