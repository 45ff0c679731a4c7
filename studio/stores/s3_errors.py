"""Translate errors of S3 and botocore to StoreErrors. The original is chained; neither contains a key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,
    CredentialRetrievalError,
    HTTPClientError,
    IncompleteReadError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
)

from studio.stores.errors import (
    Damaged,
    NotAllowed,
    StoreError,
    StoreFull,
    StoreMissing,
    UnknownArchive,
    Unreachable,
)

NO_CREDENTIALS = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError, ProfileNotFound, SSOError)
CUT = (ConnectionError, HTTPClientError, IncompleteReadError)
REFUSED = {
    *("AccessDenied", "AllAccessDisabled", "AccountProblem", "InvalidAccessKeyId", "SignatureDoesNotMatch"),
    *("ExpiredToken", "InvalidToken", "TokenRefreshRequired", "403"),
}
LATER = {"SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "Throttling", "OperationAborted", "429"}
GARBLED = {"BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"}
FULL = {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "NoSpace", "507"}


class UploadGone(StoreError):
    """The store has removed an unfinished upload."""


@contextmanager
def as_store_errors(name: str, bucket: str) -> Iterator[None]:
    """Turn botocore's errors into StoreError or UnknownArchive of the store `name`."""
    try:
        yield
    except NO_CREDENTIALS as error:
        raise NotAllowed(
            f"there are no credentials for {name}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE "
            "where the studio runs, then start it again"
        ) from error
    except CUT as error:
        raise Unreachable(
            f"{name} cannot be reached or cut the connection; check the network and the endpoint, then go on"
        ) from error
    except ClientError as error:
        raise _refusal(name, bucket, error) from error
    except BotoCoreError as error:
        raise StoreError(f"{name} cannot be used as it is set up; check its line in STUDIO_STORES") from error


def _refusal(name: str, bucket: str, error: ClientError) -> Exception:
    code = re.sub(r"\W", "", error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "NoSuchBucket":
        return StoreMissing(f"the bucket {bucket} of {name} does not exist; create it, or correct STUDIO_STORES")
    if code == "NoSuchUpload":
        return UploadGone(f"{name} forgot the unfinished upload; send the archive again")
    if code in GARBLED:
        return Damaged(f"bytes were damaged on the way to {name} again and again; check the network, then go on")
    if code in FULL or status == 507:
        return StoreFull(f"{name} is full; free some space there, then go on")
    if code == "RequestTimeTooSkewed":
        return NotAllowed(f"{name} refuses because this machine's clock is wrong; set it, then go on")
    if code in LATER or status >= 500 or status == 429:
        return Unreachable(f"{name} is too busy or out of order; wait a little, then go on")
    if code in REFUSED or status in (401, 403):
        return NotAllowed(
            f"the credentials of the studio may not do this in {name}; check them and the bucket's policy"
        )
    if code == "PreconditionFailed" or status == 412:
        return Damaged(f"the archive was replaced in {name} while it was fetched; fetch it again")
    if status == 404:
        return UnknownArchive(f"{name} no longer holds this archive; list the store to see what it holds")
    return StoreError(f"{name} refused this ({code or status}); check its line in STUDIO_STORES and its settings")
