"""The files of a champion, and its identity, which is a hash of them."""

import hashlib
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import soundfile

from engines.audio import resample
from engines.types import Audio
from studio.champion_format.champion import BadChampion, Champion

REFERENCE, TRANSCRIPT, METADATA = "reference.wav", "reference.txt", "metadata.json"
ORIGINAL = "reference_original.flac"  # engines prefer this file
WEIGHTS = "model.pt"
PICTURES = {  # file names of portraits, and the first bytes of each format
    "portrait.png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "portrait.jpg": re.compile(rb"\xff\xd8\xff"),
    "portrait.webp": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
}
PORTRAITS = tuple(PICTURES)
REQUIRED = (REFERENCE, TRANSCRIPT, METADATA)
VOICE_MEMBERS = frozenset((*REQUIRED, ORIGINAL, WEIGHTS, *PORTRAITS))
CODE = "1/model.py"
SHIM = ("config.pbtxt", CODE)  # files with which Triton loads an archive; not part of the voice
REFERENCE_RATE = 22_050  # Hz; the archive format requires 16 bit, mono


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a champion."""

    name: str
    sha256: str
    bytes: int


Manifest = Mapping[str, Member]


def identity(members: Iterable[Member]) -> str:
    """Return the SHA-256 of the sorted names and hashes of the voice members: equal voices have equal identities."""
    voice = sorted((member.name, member.sha256) for member in members if member.name in VOICE_MEMBERS)
    return hashlib.sha256("".join(f"{name}\0{sha256}\n" for name, sha256 in voice).encode()).hexdigest()


def measure(path: Path, name: str) -> Member:
    """Return the hash and size of a file. Raises OSError."""
    with path.open("rb") as file:
        return Member(name, hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size)


NO_WEIGHTS = "the champion is marked as fine-tuned, but has no fine-tuned weights; attach the weights"
NOT_FINE_TUNED = "the champion has fine-tuned weights, but is not marked as fine-tuned; remove the weights"


def measured(staged: Path) -> tuple[Champion, Manifest]:
    """Return the champion in a staging folder, and its members. Raises BadChampion, OSError."""
    missing = [name for name in REQUIRED if not (staged / name).is_file()]
    if missing:
        raise BadChampion(f"the champion lacks {' and '.join(missing)}; add the missing files")
    champion = Champion.read((staged / METADATA).read_bytes(), (staged / TRANSCRIPT).read_bytes())
    names = sorted(name for name in VOICE_MEMBERS if (staged / name).is_file())
    if champion.fine_tuned != (WEIGHTS in names):
        raise BadChampion(NO_WEIGHTS if champion.fine_tuned else NOT_FINE_TUNED)
    return champion, {name: measure(staged / name, name) for name in names}


def write_members(folder: Path, champion: Champion, reference: Audio) -> None:
    """Write a base champion: reference in the archive's format and as original, transcript, metadata. Raises OSError."""
    _write_sound(folder / REFERENCE, resample(reference, REFERENCE_RATE), "WAV", "PCM_16")
    _write_sound(folder / ORIGINAL, reference, "FLAC", "PCM_24")
    write_words(folder, champion)


def _write_sound(path: Path, audio: Audio, format: str, subtype: str) -> None:
    encoded = io.BytesIO()  # written in memory first, because libsndfile does not report a full disk
    soundfile.write(encoded, audio.samples, audio.sample_rate, format=format, subtype=subtype)
    path.write_bytes(encoded.getbuffer())


def write_words(folder: Path, champion: Champion) -> None:
    (folder / TRANSCRIPT).write_bytes(champion.transcript.encode())
    (folder / METADATA).write_bytes(champion.metadata())
