"""A boto3 client for one bucket, at AWS or another S3-compatible service."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import boto3
from botocore.config import Config
from s3transfer.utils import signal_not_transferring, signal_transferring

from studio.stores.backend import TransferSettings
from studio.stores.places import S3Place
from studio.stores.retry import Retry
from studio.stores.s3_errors import as_store_errors

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

AT_ONCE = 8  # objects that are requested in parallel

Result = TypeVar("Result")


class Bucket:
    """A bucket. boto3 finds the credentials; the studio neither reads nor stores them."""

    def __init__(self, place: S3Place, settings: TransferSettings) -> None:
        self.place = place
        self.settings = settings

    @cached_property
    def client(self) -> "S3Client":
        """Create the client on first use, because this takes half a second and reads the credentials."""
        place = self.place
        config = Config(
            s3={"addressing_style": place.addressing},
            request_checksum_calculation=place.checksum,
            response_checksum_validation=place.checksum,
            connect_timeout=self.settings.timeout_s / 2,
            read_timeout=self.settings.timeout_s,
            retries={"total_max_attempts": 1},  # `Retry` does the retries, because they can then be stopped
            max_pool_connections=AT_ONCE + 2,
        )
        session = boto3.Session(profile_name=place.profile or None, region_name=place.region or None)
        client = session.client("s3", config=config, endpoint_url=place.endpoint or None)
        # A body is read for the signature and for the transfer. Only the transfer counts as progress.
        client.meta.events.register_first("request-created.s3", signal_not_transferring)
        client.meta.events.register_last("request-created.s3", signal_transferring)
        return client

    def as_store_errors(self) -> AbstractContextManager[None]:
        return as_store_errors(self.place.name, self.place.bucket)

    def ask(self, question: Callable[[], Result], retry: Retry) -> Result:
        """Call `question`, with retries. Raises StoreError, UnknownArchive."""

        def asked() -> Result:
            with self.as_store_errors():
                return question()

        return retry.ask(asked)

    def named(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.place.bucket, "Key": key}
