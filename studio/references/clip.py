"""A clip: uploaded or recorded audio, decoded once."""

import io
from dataclasses import dataclass, replace

import soundfile

from engines.audio import Decoded, rms_dbfs
from engines.types import Audio


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Properties of the file of a clip, before it was mixed to mono."""

    channels: int = 1
    sample_rate: int  # Hz
    # Level of the loudest channel above the mix; large if the voice is in one channel, or cancelled.
    mix_loss_db: float = 0.0
    start_s: float = 0.0  # start of a repaired clip within its first ancestor

    @classmethod
    def of(cls, decoded: Decoded) -> "Source":
        loss_db = rms_dbfs(decoded.loudest.samples) - rms_dbfs(decoded.mix.samples)
        return cls(channels=decoded.channels, sample_rate=decoded.mix.sample_rate, mix_loss_db=loss_db)


@dataclass(frozen=True, slots=True)
class Origin:
    """The name and source of an upload. Two sessions may upload the same sound under different names."""

    name: str  # name of the uploaded file
    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """Mono audio of a voice, stored under the hash of its samples."""

    id: str  # the digest of its audio: 64 hex digits
    name: str  # name of the uploaded file
    audio: Audio
    source: Source

    @property
    def origin(self) -> Origin:
        return Origin(self.name, self.source)

    def brought_as(self, origin: Origin | None) -> "Clip":
        """Return the clip with the name and source of another upload of the same sound; None changes nothing."""
        return self if origin is None else replace(self, name=origin.name, source=origin.source)


def float_wav(audio: Audio) -> bytes:
    """Return a WAV file of the unchanged samples as float32."""
    encoded = io.BytesIO()
    soundfile.write(encoded, audio.samples, audio.sample_rate, format="WAV", subtype="FLOAT")
    return encoded.getvalue()
