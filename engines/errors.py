"""Errors of an engine. Every message says what to do next."""


class EngineError(Exception):
    """Base of every error that an engine, the scheduler or the manager raises."""


class BadInput(EngineError):
    """The request is invalid: a retry without a change fails again."""


class BadAudio(BadInput):
    """The clip is not usable as it is."""


class BadText(BadInput):
    """The engine cannot speak the text or the transcript as it is."""


class UnsupportedText(BadText):
    """The text has characters that the checkpoint's vocabulary lacks."""

    def __init__(self, message: str, characters: str) -> None:
        super().__init__(message)
        self.characters = characters


class BadSetting(BadInput):
    """A setting of the request is outside the range of the engine."""


class BadCheckpoint(EngineError):
    """The checkpoint is missing, gated, damaged, or of another architecture."""


class NotReady(EngineError):
    """The engine is loading, or loading failed."""


class UnknownEngine(BadInput):
    """The studio has no engine with this name."""


class QueueFull(EngineError):
    """The scheduler's queue is full."""


class Closing(EngineError):
    """The studio is shutting down and accepts no new requests."""


class TimedOut(EngineError):
    """The request's deadline passed."""


class Cancelled(EngineError):
    """The client cancelled the request."""


class OutOfMemory(EngineError):
    """The device has too little memory for this request, even if nothing else runs."""


class EngineFailed(EngineError):
    """The engine raised an unexpected error, which is chained as the cause."""
