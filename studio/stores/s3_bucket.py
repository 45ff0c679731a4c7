"""A bucket as boto3 knows it, at AWS or at any service that speaks S3."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import boto3
from botocore.config import Config
from s3transfer.utils import signal_not_transferring, signal_transferring

from studio.stores.backend import Terms
from studio.stores.places import S3Place
from studio.stores.retry import Patience
from studio.stores.s3_errors import saying

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

AT_ONCE = 8  # objects asked about at the same time

Result = TypeVar("Result")


class Bucket:
    """Credentials come from boto3's own chain and are neither seen nor kept here."""

    def __init__(self, place: S3Place, terms: Terms) -> None:
        self.place = place
        self.terms = terms

    @cached_property
    def client(self) -> "S3Client":
        """Built at first use: that costs half a second and reads the chain."""
        place = self.place
        config = Config(
            s3={"addressing_style": place.addressing},
            request_checksum_calculation=place.checksum,
            response_checksum_validation=place.checksum,
            connect_timeout=self.terms.timeout_s / 2,
            read_timeout=self.terms.timeout_s,
            retries={"total_max_attempts": 1},  # `Patience` tries again, and can be stopped
            max_pool_connections=AT_ONCE + 2,
        )
        session = boto3.Session(profile_name=place.profile or None, region_name=place.region or None)
        client = session.client("s3", config=config, endpoint_url=place.endpoint or None)
        # A body is read to be signed as well as to be sent; only the latter is progress.
        client.meta.events.register_first("request-created.s3", signal_not_transferring)
        client.meta.events.register_last("request-created.s3", signal_transferring)
        return client

    def saying(self) -> AbstractContextManager[None]:
        return saying(self.place.name, self.place.bucket)

    def ask(self, question: Callable[[], Result], patience: Patience) -> Result:
        """Raises StoreError and its kin, in a sentence."""

        def asked() -> Result:
            with self.saying():
                return question()

        return patience.ask(asked)

    def named(self, key: str) -> dict[str, Any]:
        return {"Bucket": self.place.bucket, "Key": key}
