"""What can go wrong in an engine. Every message says what to do next."""


class EngineError(Exception):
    """Base of every error an engine, the scheduler or the manager raises."""


class BadInput(EngineError):
    """What was asked for cannot be done; asking differently helps, asking again does not."""


class BadAudio(BadInput):
    """The clip cannot be used as it is."""


class BadText(BadInput):
    """The text or the transcript cannot be spoken as it is."""


class UnsupportedText(BadText):
    """The checkpoint's vocabulary lacks characters of the text."""

    def __init__(self, message: str, characters: str) -> None:
        super().__init__(message)
        self.characters = characters


class BadSetting(BadInput):
    """A setting of the request is outside what the engine can do."""


class BadCheckpoint(EngineError):
    """The checkpoint is absent, gated, broken or of another architecture."""


class NotReady(EngineError):
    """The engine is loading or failed."""


class UnknownEngine(BadInput):
    """This studio has no engine of that name."""


class QueueFull(EngineError):
    """The scheduler's queue holds as many requests as it may."""


class Closing(EngineError):
    """The studio is shutting down and takes no new requests."""


class TimedOut(EngineError):
    """The request's deadline passed."""


class Cancelled(EngineError):
    """The request was cancelled by whoever made it."""


class OutOfMemory(EngineError):
    """The device has no room for this work, even alone."""


class EngineFailed(EngineError):
    """The engine broke while working; its cause is chained."""
