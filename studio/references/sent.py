"""A reference that a program sends: a whole sound file, and what is said in it."""

import tempfile
from pathlib import Path

from engines.errors import BadAudio
from engines.types import Reference
from studio.references.library import read_clip
from studio.references.window import Window, reference_of


def read_reference(sound: bytes, transcript: str) -> Reference:
    """Raises BadAudio for what no clip can be, BadText without a transcript."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reference"
        path.write_bytes(sound)
        audio = read_clip(path)
    if not audio.samples.any():
        raise BadAudio("the clip is silent; send one with a voice")
    return reference_of(audio, Window(0.0, audio.duration_s), transcript)
