"""Translate errors of S3 and botocore to StoreErrors. The original error is chained; neither contains a key."""

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
    """The store has removed the unfinished upload."""


@contextmanager
def as_store_errors(name: str, bucket: str) -> Iterator[None]:
    """Turn errors of botocore into StoreError or UnknownArchive of the store `name`."""
    try:
        yield
    except NO_CREDENTIALS as error:
        raise NotAllowed(
            f"{name} has no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, on "
            "the studio machine, then restart the studio"
        ) from error
    except CUT as error:
        raise Unreachable(
            f"{name} cannot be reached or closed the connection; check the network and the endpoint, then try again"
        ) from error
    except ClientError as error:
        raise _refusal(name, bucket, error) from error
    except BotoCoreError as error:
        raise StoreError(f"the settings of {name} are invalid; correct its entry in STUDIO_STORES") from error


def _refusal(name: str, bucket: str, error: ClientError) -> Exception:
    code = re.sub(r"\W", "", error.response.get("Error", {}).get("Code", ""))
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "NoSuchBucket":
        return StoreMissing(
            f"the bucket {bucket} of {name} does not exist; create the bucket, or correct STUDIO_STORES"
        )
    if code == "NoSuchUpload":
        return UploadGone(f"{name} no longer has the unfinished upload; upload the champion again")
    if code in GARBLED:
        return Damaged(f"data was damaged on the way to {name} several times; check the network, then try again")
    if code in FULL or status == 507:
        return StoreFull(f"{name} is full; free some space in the store, then try again")
    if code == "RequestTimeTooSkewed":
        return NotAllowed(
            f"{name} refuses requests because the clock of this machine is wrong; set the clock, then try again"
        )
    if code in LATER or status >= 500 or status == 429:
        return Unreachable(f"{name} is busy or not available; wait a moment, then try again")
    if code in REFUSED or status in (401, 403):
        return NotAllowed(
            f"the credentials of the studio have no permission in {name}; check the credentials and the "
            "policy of the bucket"
        )
    if code == "PreconditionFailed" or status == 412:
        return Damaged(f"the archive was replaced in {name} during the download; download the champion again")
    if status == 404:
        return UnknownArchive(f"{name} no longer has this archive; reload the list of the store")
    return StoreError(
        f"{name} refused the request ({code or status}); check its entry in STUDIO_STORES and the "
        "settings of the bucket"
    )
