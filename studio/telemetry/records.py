"""The record of a request: cost, outcome and origin. Records contain no texts and no secrets."""

from typing import Literal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from engines.errors import BadInput, Cancelled, EngineError
from studio.errors import snake_case
from studio.telemetry.origin import Door

Outcome = Literal["done", "failed", "cancelled", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRecord:
    """A request that has ended. A time in seconds is None if the request ended before that moment."""

    request_id: str
    at: float  # end of the request, in seconds since 1970
    door: Door
    engine: str  # empty if the request named no engine of this studio
    backend: str = ""  # of each computation, such as "decode step: triton"
    language: str = (
        ""  # BCP 47 tag of the text; empty if the request was refused before the scheduler, and in old records
    )
    champion: str = ""  # id of the champion that spoke; empty for a clip
    loaded: bool = False  # the engine was loaded when the request arrived
    outcome: Outcome
    error: str = ""  # kind of the error, such as queue_full
    total_s: float  # arrival to the last sample, or until the last byte is sent if the sending is measured
    wait_s: float | None = None  # arrival to admission
    # arrival to the first audio sample, or until the first part is sent if a program streams the audio
    first_audio_s: float | None = None
    inference_s: float | None = None  # admission to the last sample; None also in old records
    compute_s: float | None = None  # share of device time
    audio_s: float | None = None

    @property
    def rtf(self) -> float | None:
        """Return seconds of device time per second of audio."""
        return self.compute_s / self.audio_s if self.compute_s is not None and self.audio_s else None


RECORD = TypeAdapter(RequestRecord)


def outcome_of(error: EngineError | None) -> Outcome:
    """Return the outcome of a request with this error."""
    if error is None:
        return "done"
    return "cancelled" if isinstance(error, Cancelled) else "refused" if isinstance(error, BadInput) else "failed"


def kind_of(error: EngineError | None) -> str:
    """Return the kind of an error, as in the `code` of the API's errors; empty without an error."""
    return "" if error is None else snake_case(type(error).__name__)
