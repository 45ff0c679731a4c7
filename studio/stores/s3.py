"""A bucket as a store. The metadata of an archive is the metadata of its object."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from studio.stores.backend import CHUNK_BYTES, TransferSettings
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferProgress, misnamed
from studio.stores.errors import StoreMissing, UnknownArchive
from studio.stores.naming import ARCHIVES, Naming
from studio.stores.places import S3Place
from studio.stores.retry import Retry
from studio.stores.s3_bucket import AT_ONCE, Bucket
from studio.stores.s3_upload import MultipartUpload

QUICK_S = 5.0  # time limit of requests for which a user waits

Result = TypeVar("Result")


class S3Backend:
    def __init__(self, place: S3Place, state: Path, settings: TransferSettings, naming: Naming = ARCHIVES) -> None:
        """Keep the state of unfinished uploads in the folder `state`."""
        self._place = place
        self._naming = naming
        self._bucket = Bucket(place, settings)
        self._state = state
        self._heads: dict[str, StoreEntry] = {}  # by id; objects with equal ETags have equal heads

    def list(self) -> Sequence[StoreEntry]:
        place, folder = self._place, self._place.prefix + self._naming.folder

        def objects() -> list[tuple[str, str, int]]:
            pages = self._bucket.client.get_paginator("list_objects_v2")
            answers = pages.paginate(Bucket=place.bucket, Prefix=folder, Delimiter="/")
            contents = (one for answer in answers for one in answer.get("Contents", ()))
            return [(one["Key"].removeprefix(folder), one["ETag"], one["Size"]) for one in contents]

        found = self._ask(objects)
        named = [(self._naming.id(name), etag) for name, etag, _ in found]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            heads = pool.map(lambda one: self._head(*one), [(id, etag) for id, etag in named if id is not None])
            entries = [entry for entry in heads if entry is not None]
        return [*entries, *misnamed(self._naming, ((name, size) for name, _, size in found))]

    def find(self, id: str) -> StoreEntry | None:
        try:
            head = self._ask(lambda: self._bucket.client.head_object(**self._bucket.named(self._key(id))))
        except UnknownArchive:
            self._check_bucket()
            return None
        known = head.get("Metadata", {})
        self._heads[id] = StoreEntry(
            id=id,
            bytes=head["ContentLength"],
            sha256=known.get("sha256", ""),
            identity=known.get("identity", ""),
            licence=known.get("licence", ""),
            changed_at=head.get("LastModified"),
            tag=head["ETag"],
        )
        return self._heads[id]

    def address(self, id: str) -> str:
        return f"s3://{self._place.bucket}/{self._key(id)}"

    def sent(self, id: str, facts: ArchiveFacts) -> int:
        return self._upload(id, facts).bytes_sent()

    def send(
        self, id: str, archive: Path, facts: ArchiveFacts, progress: TransferProgress, stop: threading.Event
    ) -> None:
        self._upload(id, facts).run(archive, progress, stop)

    def read(self, entry: StoreEntry, start: int, end: int) -> Iterator[bytes]:
        with self._bucket.as_store_errors():
            answer = self._bucket.client.get_object(
                **self._bucket.named(self._key(entry.id)), IfMatch=entry.tag, Range=f"bytes={start}-{end - 1}"
            )
            with closing(answer["Body"]) as body:
                yield from body.iter_chunks(min(CHUNK_BYTES, end - start))

    def delete(self, entry: StoreEntry) -> None:
        self._ask(lambda: self._bucket.client.delete_object(**self._bucket.named(self._key(entry.id))))

    def _key(self, id: str) -> str:
        return self._place.prefix + self._naming.path(id)

    def _upload(self, id: str, facts: ArchiveFacts) -> MultipartUpload:
        return MultipartUpload(
            bucket=self._bucket,
            key=self._key(id),
            media_type=self._naming.media_type,
            facts=facts,
            state=self._state / f"{id}.upload.json",
        )

    def _head(self, id: str, etag: str) -> StoreEntry | None:
        known = self._heads.get(id)
        return known if known is not None and known.tag == etag else self.find(id)

    def _check_bucket(self) -> None:
        """Raise StoreMissing if the bucket is missing. For S3, a missing bucket looks like a missing archive."""
        bucket, name = self._place.bucket, self._place.name
        try:
            self._ask(lambda: self._bucket.client.head_bucket(Bucket=bucket))
        except UnknownArchive as error:
            raise StoreMissing(
                f"the bucket {bucket} of {name} does not exist; create the bucket, or correct STUDIO_STORES"
            ) from error

    def _ask(self, question: Callable[[], Result]) -> Result:
        return self._bucket.ask(question, Retry(min(QUICK_S, self._bucket.settings.retry_for_s)))
