"""Multipart upload of one archive to S3. It is continued after a lost connection, a pause or a restart."""

import base64
import hashlib
import json
import logging
import math
import re
import threading
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from s3transfer.utils import ReadFileChunk

from engines.errors import EngineError
from studio.disk.database import saving
from studio.disk.files import atomic_write
from studio.stores.backend import CHUNK_BYTES, raise_if_stopped
from studio.stores.entry import ArchiveFacts, TransferProgress
from studio.stores.errors import Damaged
from studio.stores.retry import Retry
from studio.stores.s3_bucket import Bucket
from studio.stores.s3_errors import UploadGone

log = logging.getLogger(__name__)

MAX_PARTS = 10_000
MD5 = re.compile(r"[0-9a-f]{32}")
PLAIN = (None, "AES256")  # encryptions for which the ETag of a part is its MD5
NAMING_A_PART = ("PartNumber", "ETag", "ChecksumCRC32", "ChecksumCRC32C", "ChecksumCRC64NVME", "ChecksumSHA256")


@dataclass(frozen=True, slots=True)
class UploadState:
    """The stored state of an upload, with which another process can continue it."""

    where: str
    sha256: str
    upload_id: str
    part_bytes: int
    etags: dict[str, str]  # by part number, from the responses of the store


@dataclass(frozen=True, slots=True)
class UploadPart:
    """A part of the archive: bytes [start, start + size)."""

    archive: Path
    number: int  # from 1
    start: int
    size: int

    def md5(self) -> bytes:
        hashed, left = hashlib.md5(usedforsecurity=False), self.size
        with self.archive.open("rb") as file:
            file.seek(self.start)
            while left and (chunk := file.read(min(CHUNK_BYTES, left))):
                hashed.update(chunk)
                left -= len(chunk)
        return hashed.digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipartUpload:
    """The upload of one archive. The file `state` keeps the state until the upload is complete."""

    bucket: Bucket
    key: str
    media_type: str
    facts: ArchiveFacts
    state: Path

    def bytes_sent(self) -> int:
        """Return the number of bytes that an earlier attempt sent and recorded. Raises StoreError."""
        upload = self._remembered()
        if upload is None or upload.sha256 != self.facts.sha256:
            return 0
        try:
            listed = self._listed(upload, Retry(0))
        except UploadGone:
            return 0
        return sum(part["Size"] for number, part in listed.items() if upload.etags.get(str(number)) == _etag(part))

    def run(self, archive: Path, progress: TransferProgress, stop: threading.Event) -> None:
        """Send the missing parts, then complete the upload. Raises StoreError, Cancelled, NotSaved."""
        retry = Retry(self.bucket.settings.retry_for_s, stop)
        upload = self._resumed() or self._begin(retry)
        try:
            self._send_parts(upload, archive, progress, retry, stop)
        except UploadGone:  # the lifecycle rules of the bucket have removed the upload
            upload = self._begin(retry)
            self._send_parts(upload, archive, progress, retry, stop)
        self._complete(upload, retry)
        self.state.unlink(missing_ok=True)

    def _resumed(self) -> UploadState | None:
        upload = self._remembered()
        if upload is None or upload.sha256 == self.facts.sha256:
            return upload
        try:  # parts of an unfinished upload cost money, so they are deleted
            self.bucket.ask(lambda: self.bucket.client.abort_multipart_upload(**self._named(upload)), Retry(0))
        except EngineError as error:
            log.info("an unfinished upload was left in %s: %s", self.bucket.place.name, error)
        return None

    def _begin(self, retry: Retry) -> UploadState:
        known = {"sha256": self.facts.sha256, "identity": self.facts.identity, "licence": self.facts.licence}
        answer = self.bucket.ask(
            lambda: self.bucket.client.create_multipart_upload(
                **self.bucket.named(self.key),
                ContentType=self.media_type,
                Metadata={name: value for name, value in known.items() if value and value.isascii()},
            ),
            retry,
        )
        part_bytes = max(self.bucket.settings.part_bytes, math.ceil(self.facts.bytes / MAX_PARTS))
        upload = UploadState(self._where, self.facts.sha256, answer["UploadId"], part_bytes, {})
        self._remember(upload)
        return upload

    def _send_parts(
        self, upload: UploadState, archive: Path, progress: TransferProgress, retry: Retry, stop: threading.Event
    ) -> None:
        listed = self._listed(upload, retry)
        for number, start in enumerate(range(0, self.facts.bytes, upload.part_bytes), 1):
            part = UploadPart(archive, number, start, min(upload.part_bytes, self.facts.bytes - start))
            if not _is_there(part, listed.get(number), upload):
                upload.etags[str(number)] = self._send_part(upload, part, progress, retry, stop)
                self._remember(upload)
            progress.at(part.start + part.size)

    def _send_part(
        self, upload: UploadState, part: UploadPart, progress: TransferProgress, retry: Retry, stop: threading.Event
    ) -> str:
        """Send a part and return its ETag. Raises Damaged if the store received other bytes in every attempt."""
        md5 = part.md5()

        def send() -> str:
            body: Any = ReadFileChunk.from_filename(
                str(part.archive), part.start, part.size, [_Counter(part.start, progress, stop)], enable_callbacks=False
            )
            with closing(body):
                answer = self.bucket.client.upload_part(
                    **self._named(upload),
                    PartNumber=part.number,
                    Body=body,
                    ContentLength=part.size,
                    ContentMD5=base64.b64encode(md5).decode(),  # the store refuses bytes with another MD5
                )
            etag = _etag(answer)
            if answer.get("ServerSideEncryption") in PLAIN and MD5.fullmatch(etag) and etag != md5.hex():
                raise Damaged(
                    f"data was damaged on the way to {self.bucket.place.name}; check the network, then try again"
                )
            return etag

        return self.bucket.ask(send, retry)

    def _complete(self, upload: UploadState, retry: Retry) -> None:
        listed = self._listed(upload, retry)
        parts: Any = [
            {name: part[name] for name in NAMING_A_PART if name in part} for _, part in sorted(listed.items())
        ]
        complete = self.bucket.client.complete_multipart_upload
        try:
            self.bucket.ask(lambda: complete(**self._named(upload), MultipartUpload={"Parts": parts}), retry)
        except UploadGone as error:  # the response to an earlier attempt was lost; the caller checks the stored object
            log.info("completing an upload to %s twice: %s", self.bucket.place.name, error)

    def _listed(self, upload: UploadState, retry: Retry) -> dict[int, Any]:
        def pages() -> dict[int, Any]:
            answers = self.bucket.client.get_paginator("list_parts").paginate(**self._named(upload))
            return {part["PartNumber"]: part for answer in answers for part in answer.get("Parts", ())}

        return self.bucket.ask(pages, retry)

    @property
    def _where(self) -> str:
        return f"{self.bucket.place.endpoint} {self.bucket.place.bucket} {self.key}"

    def _named(self, upload: UploadState) -> dict[str, Any]:
        return {**self.bucket.named(self.key), "UploadId": upload.upload_id}

    def _remembered(self) -> UploadState | None:
        """Return the stored state; None if the file is missing, damaged, or belongs to another bucket."""
        try:
            upload = UploadState(**json.loads(self.state.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return upload if upload.where == self._where else None

    def _remember(self, upload: UploadState) -> None:
        with saving(), atomic_write(self.state) as file:
            file.write(json.dumps(asdict(upload)).encode())


class _Counter:
    """Callback of s3transfer that counts sent bytes; if a body is rewound, it gets a negative number."""

    def __init__(self, start: int, progress: TransferProgress, stop: threading.Event) -> None:
        self._through, self._progress, self._stop = start, progress, stop

    def __call__(self, bytes_transferred: int) -> None:
        raise_if_stopped(self._stop)
        self._through += bytes_transferred
        self._progress.at(self._through)


def _etag(answer: Any) -> str:
    return str(answer["ETag"]).strip('"')


def _is_there(part: UploadPart, listed: Any, upload: UploadState) -> bool:
    """Return True if the store has this part, according to the recorded ETag or to the MD5."""
    if listed is None or listed["Size"] != part.size:
        return False
    etag = _etag(listed)
    return etag == upload.etags.get(str(part.number)) or etag == part.md5().hex()
