"""How every error of the studio is answered over HTTP, and under which title the page shows it."""

import gc
import importlib
import pkgutil
import weakref
from collections.abc import Iterator
from contextlib import suppress

import pytest

import studio
from engines.errors import BadInput, EngineError
from studio.api.errors import STATUSES, release

STATUS = {
    "AlreadyVoted": 409,
    "BackupFailed": 400,
    "BadAnswer": 400,
    "BadArchive": 400,
    "BadAudio": 400,
    "BadBackup": 400,
    "BadChampion": 400,
    "BadCheckpoint": 400,
    "BadInput": 400,
    "BadLexicon": 400,
    "BadMessage": 400,
    "BadPair": 400,
    "BadReference": 400,
    "BadSession": 400,
    "BadSetting": 400,
    "BadSheet": 400,
    "BadTensors": 400,
    "BadText": 400,
    "BadVote": 400,
    "Cancelled": 400,
    "ChampionConflict": 409,
    "Closing": 503,
    "Conflict": 409,
    "Damaged": 502,
    "DamagedDatabase": 507,
    "Decided": 409,
    "EarsFailed": 503,
    "EarsOff": 503,
    "EngineError": 400,
    "EngineFailed": 500,
    "Forbidden": 403,
    "InvalidInvitation": 404,
    "KeyNeeded": 401,
    "LimitReached": 429,
    "LoginNeeded": 401,
    "NoPairs": 404,
    "NoRoom": 507,
    "NotAllowed": 502,
    "NotFound": 404,
    "NotHeard": 409,
    "NotOwner": 403,
    "NotReady": 503,
    "NotSaved": 507,
    "NotStored": 507,
    "NothingToRender": 400,
    "Occupied": 409,
    "OutOfMemory": 503,
    "PlanIsFixed": 409,
    "QueueFull": 429,
    "QuotaUsed": 507,
    "SameIds": 400,
    "SessionNotReady": 503,
    "SheetChanged": 409,
    "StaleSelects": 409,
    "StoreError": 502,
    "StoreFull": 507,
    "StoreMissing": 502,
    "StudioError": 400,
    "TimedOut": 504,
    "TooManyRequests": 429,
    "TooManyTries": 429,
    "Unauthenticated": 401,
    "Unavailable": 503,
    "UncertainEncoding": 400,
    "UnknownArchive": 404,
    "UnknownAttachment": 404,
    "UnknownChampion": 404,
    "UnknownClip": 404,
    "UnknownEngine": 404,
    "UnknownJob": 404,
    "UnknownLine": 404,
    "UnknownListener": 401,
    "UnknownLiveTake": 404,
    "UnknownProject": 404,
    "UnknownRender": 404,
    "UnknownRequest": 404,
    "UnknownSession": 404,
    "UnknownSheet": 404,
    "UnknownStore": 404,
    "UnknownTake": 404,
    "UnknownTrial": 404,
    "UnknownUpdate": 404,
    "Unreachable": 503,
    "UnsupportedText": 400,
    "UploadGone": 502,
    "UpstreamError": 502,
}
REFUSALS = {  # asking differently helps, so the page shows them as refused instead of failed
    *("BadArchive", "BadAudio", "BadChampion", "BadInput", "BadLexicon", "BadMessage", "BadReference", "BadSetting"),
    *("BadSheet", "BadTensors", "BadText", "NothingToRender", "SameIds"),
    *("UnknownAttachment", "UnknownChampion", "UnknownClip", "UnknownEngine", "UnknownJob", "UnknownStore"),
    *("UncertainEncoding", "UnknownArchive", "UnsupportedText"),
}


def errors() -> Iterator[type[EngineError]]:
    """Yield every error class of engines/errors.py and of the studio without its page."""
    for module in pkgutil.walk_packages(studio.__path__, "studio."):
        if not module.name.startswith(("studio.ui", "studio.archive.shim")) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found = [EngineError]
    for kind in found:  # grows while it is read
        found += [one for one in kind.__subclasses__() if one.__module__.startswith(("engines.errors", "studio."))]
    return (kind for kind in dict.fromkeys(found) if not kind.__module__.startswith("studio.ui"))


def status(kind: type[EngineError]) -> int:
    return next((status for base, status in STATUSES if issubclass(kind, base)), 400)


@pytest.fixture(scope="module")
def kinds() -> dict[str, type[EngineError]]:
    return {kind.__name__: kind for kind in errors()}


def test_every_error_is_answered_with_its_status(kinds: dict[str, type[EngineError]]) -> None:
    assert {name: status(kind) for name, kind in kinds.items()} == STATUS


def test_the_page_calls_refused_what_asking_differently_would_change(kinds: dict[str, type[EngineError]]) -> None:
    assert {name for name, kind in kinds.items() if issubclass(kind, BadInput)} == REFUSALS


class Brought:
    """Stands for the body of a request."""


def test_the_body_of_a_refused_request_is_freed_at_once() -> None:
    """Test as in FastAPI's handler, which keeps the error that it raises in a variable."""
    bodies: list[weakref.ref[Brought]] = []

    def handle() -> None:
        body = Brought()
        bodies.append(weakref.ref(body))
        try:
            raise KeyError(body)
        except KeyError as cause:
            refusal = ValueError("unread")
            raise refusal from cause

    gc.disable()
    try:
        with suppress(ValueError):
            try:
                handle()
            except ValueError as error:
                release(error)
        assert bodies[0]() is None
    finally:
        gc.enable()
