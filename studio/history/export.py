"""Export of takes: descriptive file names, JSON and zip archives."""

import io
import json
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from engines.types import Audio
from studio.history.files import exact_wav
from studio.history.takes import StoredTake, UnknownTake
from studio.order import flat

Format = Literal["wav", "flac", "mp3"]
TAG = re.compile(r"\[[^\]]*\]")  # markers such as [pause:0.8s] are not words
NOT_WORD = re.compile(r"[\W_]+")
WORDS = 6
NAME_MAX = 40  # characters of each part of a file name


@dataclass(frozen=True, slots=True)
class NamedTake:
    """A take and the name of its voice."""

    take: StoredTake
    voice: str  # speaks the parts of a text that name no voice

    @property
    def voices(self) -> Sequence[str]:
        """Return the voices that speak, one for each part of a text with several voices."""
        return [segment.voice or self.voice for segment in self.take.segments] or [self.voice]


def file_stem(named: NamedTake) -> str:
    """Return a name such as `anna-f5-42-welcome-to-the-rift`: voices, engine, seed, first words, in any script."""
    return _stem(named.take, " ".join(dict.fromkeys(named.voices)))


def segment_stem(named: NamedTake, place: int) -> str:
    """Return the name of a part, such as `basil-f5-42-welcome-to-the-rift-02` for place 1: its voice, and its number."""
    return f"{_stem(named.take, named.voices[place])}-{place + 1:02}"


def described(take: StoredTake) -> dict[str, Any]:
    """Return how a take was made and what it cost, without its session."""
    return {
        "order": flat(take.order),
        "cost": asdict(take.cost) | {"rtf": take.cost.rtf},
        "engine": take.engine,
        "checkpoint": take.checkpoint,
        "sample_rate": take.sample_rate,
        "duration_s": take.duration_s,
        "starred": take.starred,
        "folder": take.folder,
        "notes": list(take.notes),
        "segments": [asdict(segment) for segment in take.segments],
        "created_at": take.created_at.isoformat(),
    }


def take_json(take: StoredTake) -> dict[str, Any]:
    """Return a take without its session. The times of its words are left out, because lists of takes are asked for often."""
    heard = take.heard and {name: value for name, value in take.heard.items() if name != "words"}
    return {"id": take.id, **described(take), "peaks": list(take.peaks), "heard": heard}


def zipped(named: Sequence[NamedTake], format: Format, encoded: Callable[[StoredTake], bytes]) -> Iterator[bytes]:
    """Yield a zip archive in pieces; at most one take's audio is in memory."""
    sink = _Sink()
    used: Counter[str] = Counter()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:  # audio hardly shrinks
        for one in named:
            stem = file_stem(one)
            used[stem] += 1
            name = stem if used[stem] == 1 else f"{stem}-({used[stem]})"
            when = one.take.created_at.timetuple()[:6]
            archive.writestr(zipfile.ZipInfo(f"{name}.{format}", when), encoded(one.take))
            yield sink.drain()
            request = json.dumps(described(one.take), ensure_ascii=False, indent=2)
            archive.writestr(zipfile.ZipInfo(f"{name}.json", when), request)
    yield sink.drain()


def zipped_segments(named: NamedTake, audio: Audio) -> bytes:
    """Return a zip with each part of a take as a WAV file. Raises UnknownTake if the take has no parts."""
    if not named.take.segments:
        raise UnknownTake("this take has one voice, so it has no parts; download the whole take")
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for place, segment in enumerate(named.take.segments):
            name = f"{segment_stem(named, place)}.wav"
            archive.writestr(zipfile.ZipInfo(name), exact_wav(audio.between(segment.start_s, segment.end_s)))
    return sink.getvalue()


class _Sink(io.RawIOBase):
    """Collects the output of zipfile until it is drained. It cannot seek, so zipfile streams."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def drain(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def _stem(take: StoredTake, voice: str) -> str:
    words = TAG.sub(" ", take.order.text).split()[:WORDS]
    parts = (_slug(voice), take.engine, str(take.order.seed), _slug(" ".join(words)))
    return "-".join(part for part in parts if part)


def _slug(text: str) -> str:
    return NOT_WORD.sub("-", unicodedata.normalize("NFC", text).casefold())[:NAME_MAX].strip("-")
