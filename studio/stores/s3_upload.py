"""One archive on its way into a bucket: a multipart upload that is found again after a cut, a pause or a restart."""

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
from studio.database import saving
from studio.files import atomic_write
from studio.stores.backend import CHUNK_BYTES, unless
from studio.stores.entry import ArchiveFacts, Meter
from studio.stores.errors import Damaged
from studio.stores.retry import Patience
from studio.stores.s3_bucket import Bucket
from studio.stores.s3_errors import UploadGone

log = logging.getLogger(__name__)

MAX_PARTS = 10_000
MD5 = re.compile(r"[0-9a-f]{32}")
PLAIN = (None, "AES256")  # encryption under which a part's ETag is its MD5
NAMING_A_PART = ("PartNumber", "ETag", "ChecksumCRC32", "ChecksumCRC32C", "ChecksumCRC64NVME", "ChecksumSHA256")


@dataclass(frozen=True, slots=True)
class Upload:
    """What is written down of an upload, so that another process can go on with it."""

    where: str
    sha256: str
    upload_id: str
    part_bytes: int
    etags: dict[str, str]  # by part number, as the store answered


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the archive: bytes [start, start + size)."""

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
class Sending:
    """`state` is the file that remembers the upload until it is complete."""

    bucket: Bucket
    key: str
    facts: ArchiveFacts
    state: Path

    def there(self) -> int:
        """Bytes an earlier try brought, as far as it lived to write that down. Raises StoreError."""
        upload = self._remembered()
        if upload is None or upload.sha256 != self.facts.sha256:
            return 0
        try:
            listed = self._listed(upload, Patience(0))
        except UploadGone:
            return 0
        return sum(part["Size"] for number, part in listed.items() if upload.etags.get(str(number)) == _etag(part))

    def run(self, archive: Path, meter: Meter, stop: threading.Event) -> None:
        """Send what is missing, then have the store put the parts together. Raises StoreError, Cancelled, NotSaved."""
        patience = Patience(self.bucket.terms.patience_s, stop)
        upload = self._resumed() or self._begin(patience)
        try:
            self._send_parts(upload, archive, meter, patience, stop)
        except UploadGone:  # the bucket's rules swept it meanwhile
            upload = self._begin(patience)
            self._send_parts(upload, archive, meter, patience, stop)
        self._complete(upload, patience)
        self.state.unlink(missing_ok=True)

    def _resumed(self) -> Upload | None:
        upload = self._remembered()
        if upload is None or upload.sha256 == self.facts.sha256:
            return upload
        try:  # parts of an archive that was replaced here cost their owner money until somebody sweeps them
            self.bucket.ask(lambda: self.bucket.client.abort_multipart_upload(**self._named(upload)), Patience(0))
        except EngineError as error:
            log.info("an unfinished upload was left in %s: %s", self.bucket.place.name, error)
        return None

    def _begin(self, patience: Patience) -> Upload:
        known = {"sha256": self.facts.sha256, "identity": self.facts.identity, "licence": self.facts.licence}
        answer = self.bucket.ask(
            lambda: self.bucket.client.create_multipart_upload(
                **self.bucket.named(self.key),
                ContentType="application/gzip",
                Metadata={name: value for name, value in known.items() if value and value.isascii()},
            ),
            patience,
        )
        part_bytes = max(self.bucket.terms.part_bytes, math.ceil(self.facts.bytes / MAX_PARTS))
        upload = Upload(self._where, self.facts.sha256, answer["UploadId"], part_bytes, {})
        self._remember(upload)
        return upload

    def _send_parts(
        self, upload: Upload, archive: Path, meter: Meter, patience: Patience, stop: threading.Event
    ) -> None:
        listed = self._listed(upload, patience)
        for number, start in enumerate(range(0, self.facts.bytes, upload.part_bytes), 1):
            part = Part(archive, number, start, min(upload.part_bytes, self.facts.bytes - start))
            if not _is_there(part, listed.get(number), upload):
                upload.etags[str(number)] = self._send_part(upload, part, meter, patience, stop)
                self._remember(upload)
            meter.at(part.start + part.size)

    def _send_part(self, upload: Upload, part: Part, meter: Meter, patience: Patience, stop: threading.Event) -> str:
        """Its ETag. Raises Damaged when the store goes on receiving other bytes than were sent."""
        md5 = part.md5()

        def send() -> str:
            body: Any = ReadFileChunk.from_filename(
                str(part.archive), part.start, part.size, [_Counter(part.start, meter, stop)], enable_callbacks=False
            )
            with closing(body):
                answer = self.bucket.client.upload_part(
                    **self._named(upload),
                    PartNumber=part.number,
                    Body=body,
                    ContentLength=part.size,
                    ContentMD5=base64.b64encode(md5).decode(),  # the store refuses what does not fit it
                )
            etag = _etag(answer)
            if answer.get("ServerSideEncryption") in PLAIN and MD5.fullmatch(etag) and etag != md5.hex():
                raise Damaged(
                    f"bytes are damaged on the way to {self.bucket.place.name}; check the network, then go on"
                )
            return etag

        return self.bucket.ask(send, patience)

    def _complete(self, upload: Upload, patience: Patience) -> None:
        listed = self._listed(upload, patience)
        parts: Any = [
            {name: part[name] for name in NAMING_A_PART if name in part} for _, part in sorted(listed.items())
        ]
        complete = self.bucket.client.complete_multipart_upload
        try:
            self.bucket.ask(lambda: complete(**self._named(upload), MultipartUpload={"Parts": parts}), patience)
        except UploadGone as error:  # the answer to a first try was cut; whoever asked looks at what the store holds
            log.info("completing an upload to %s twice: %s", self.bucket.place.name, error)

    def _listed(self, upload: Upload, patience: Patience) -> dict[int, Any]:
        def pages() -> dict[int, Any]:
            answers = self.bucket.client.get_paginator("list_parts").paginate(**self._named(upload))
            return {part["PartNumber"]: part for answer in answers for part in answer.get("Parts", ())}

        return self.bucket.ask(pages, patience)

    @property
    def _where(self) -> str:
        return f"{self.bucket.place.endpoint} {self.bucket.place.bucket} {self.key}"

    def _named(self, upload: Upload) -> dict[str, Any]:
        return {**self.bucket.named(self.key), "UploadId": upload.upload_id}

    def _remembered(self) -> Upload | None:
        """None as well for a file that is torn or speaks of another bucket."""
        try:
            upload = Upload(**json.loads(self.state.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None
        return upload if upload.where == self._where else None

    def _remember(self, upload: Upload) -> None:
        with saving(), atomic_write(self.state) as file:
            file.write(json.dumps(asdict(upload)).encode())


class _Counter:
    """Called by s3transfer with the bytes that go out, and with negative ones when a body is rewound."""

    def __init__(self, start: int, meter: Meter, stop: threading.Event) -> None:
        self._through, self._meter, self._stop = start, meter, stop

    def __call__(self, bytes_transferred: int) -> None:
        unless(self._stop)
        self._through += bytes_transferred
        self._meter.at(self._through)


def _etag(answer: Any) -> str:
    return str(answer["ETag"]).strip('"')


def _is_there(part: Part, listed: Any, upload: Upload) -> bool:
    """Whether the store holds these bytes as that part; where it was told so no longer, by MD5."""
    if listed is None or listed["Size"] != part.size:
        return False
    etag = _etag(listed)
    return etag == upload.etags.get(str(part.number)) or etag == part.md5().hex()
