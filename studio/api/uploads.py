"""Uploads of large files, streamed to the disk. An error removes the file."""

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from anyio import to_thread
from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from engines.errors import BadInput
from studio.disk.database import saving

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

MULTIPART = "multipart/form-data"
PIECE_BYTES = 1 << 20  # size of the pieces that a thread writes
Feed = Callable[[bytes], object]


@asynccontextmanager
async def received(request: Request, folder: Path, endings: Sequence[str] = ()) -> AsyncIterator[Path]:
    """Save the request's body, or the `file` of its form, under a random name, and yield the path.

    An error in the block removes the file. With `endings`, the file gets the ending of the query's `name`, or else of the
    form's file name. Raises NotSaved, and BadInput if the body is incomplete or the file is missing or has another ending.
    """
    path, named = folder / secrets.token_urlsafe(12), request.query_params.get("name", "")
    if endings and named:
        _ending(named, endings)  # before gigabytes are sent
    try:
        with saving():
            folder.mkdir(parents=True, exist_ok=True)
            sent_as = await _stream(request, path)
            if endings:
                path = path.rename(path.with_suffix(_ending(named or sent_as, endings)))
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise


async def _stream(request: Request, path: Path) -> str:
    """Write the upload to a new file, and return its name in the form, if any. Raises BadInput, OSError."""
    kind, options = parse_options_header(request.headers.get("content-type"))
    with path.open("xb") as file:
        form = FormFile(options.get(b"boundary", b""), file.write) if kind == MULTIPART.encode() else None
        await _feed_body(request, form.feed if form else file.write)
        if file.tell() == 0:
            hint = ", as the body or as the `file` field of a form" if form else ""
            raise BadInput(f"the file is empty or missing; send a file{hint}")
    return form.name if form else ""


async def _feed_body(request: Request, feed: Feed) -> None:
    """Pass the body on in pieces. Another thread writes, so that a slow disk does not block other requests."""
    collected = bytearray()
    try:
        async for piece in request.stream():
            collected += piece
            if len(collected) >= PIECE_BYTES:
                await to_thread.run_sync(feed, bytes(collected))
                collected.clear()
        await to_thread.run_sync(feed, bytes(collected))
    except ClientDisconnect as error:
        raise BadInput("the upload is incomplete; send the file again") from error
    except FormParserError as error:
        raise BadInput(
            "the multipart form could not be parsed; send the file as the body, or as the `file` field of a form"
        ) from error


class FormFile:
    """Parser of a multipart form that passes on the bytes of its `file`."""

    def __init__(self, boundary: bytes, write: Feed) -> None:
        """Parse parts separated by `boundary`. Raises BadInput if the boundary is empty."""
        if not boundary:
            raise BadInput("the multipart form has no boundary; send the file as the body")
        self.name = ""  # file name that the sender gave
        self._write = write
        self._header, self._value, self._part = b"", b"", b""
        calls: MultipartCallbacks = {
            "on_header_field": self._on_header_field,
            "on_header_value": self._on_header_value,
            "on_header_end": self._on_header_end,
            "on_part_data": self._on_part_data,
        }
        self._parser = MultipartParser(boundary, calls)

    def feed(self, data: bytes) -> None:
        """Parse the next piece. Raises FormParserError, and the errors of `write`."""
        self._parser.write(data)

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            self._part = options.get(b"name", b"")
            if self._part == b"file":
                self.name = options.get(b"filename", b"").decode(errors="replace")
        self._header = self._value = b""

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part == b"file":
            self._write(data[start:end])


def _ending(name: str, endings: Sequence[str]) -> str:
    ending = PurePath(name.lower()).suffix
    if ending not in endings:
        raise BadInput(f"the file is not a {' or '.join(endings)} file; choose another file")
    return ending
