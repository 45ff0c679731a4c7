"""Stored clips: a folder for each clip, named by its hash and published by one rename."""

import json
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import soundfile

from engines.audio import Decoded, decode_channels
from engines.errors import BadAudio, BadInput
from engines.types import Audio
from studio.disk.files import STAGING, is_disk_full, link_or_copy, publish_folder
from studio.errors import DISK_FULL, NotFound, NotStored
from studio.references.clip import Clip, Source, float_wav
from studio.references.window import Window, cut

SAMPLES = Path(__file__).parents[2] / "assets" / "voices" / "references"  # sounds that are shipped with the studio
MIN_S, MAX_S = 1.0, 120.0
MAX_BYTES = 200 * 2**20  # size of two minutes of 32-bit float at 48 kHz in eight channels
ID = re.compile(r"[0-9a-f]{64}")
NAME_MAX = 120  # characters
AUDIO, FACTS, ORIGINAL = "audio.wav", "clip.json", "original"
# The first ancestor of a repaired clip. The report also checks the ancestor, because no repair removes damage such as
# clipping.
UNREPAIRED = "unmended.wav"
Stamp = tuple[int, int]  # time of the last change in ns, and size in bytes


class UnknownClip(NotFound, BadInput):
    """No clip with this id is stored."""


class NoRoom(NotStored):
    """The disk has no space for the clip."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A reference that ships with the studio."""

    name: str
    path: Path
    transcript: str


class ClipStore:
    """Clips in `data_dir/clips`, and shipped samples in `samples_dir`. Reading creates no files."""

    def __init__(self, data_dir: Path, samples_dir: Path | None = None) -> None:
        self._folder = data_dir / "clips"
        self._samples_dir = samples_dir

    def add(self, path: Path, name: str) -> Clip:
        """Decode a file, and store the clip with its original. Raises BadAudio, NoRoom."""
        decoded = decode_clip(path)
        clip = Clip(decoded.mix.digest, _plain(name), decoded.mix, Source.of(decoded))
        return self._publish(clip, {ORIGINAL: path})

    def add_audio(self, audio: Audio, name: str, *, parent: Clip | None = None, start_s: float = 0.0) -> Clip:
        """Store mono audio that was generated here. Raises BadAudio, NoRoom.

        `parent` is the clip that was repaired; the repaired audio begins at `start_s` in the parent. The new clip inherits the
        source and the first ancestor of the parent.
        """
        if not np.isfinite(audio.samples).all():
            raise BadAudio("the audio contains invalid values (NaN or infinity); export the original audio again")
        if audio.duration_s > MAX_S:
            raise BadAudio(
                f"the clip is {audio.duration_s:.0f} s long, but the limit is {MAX_S:.0f} s; cut the clip first"
            )
        source, inherited = Source(sample_rate=audio.sample_rate), {}
        if parent is not None:
            source = replace(parent.source, start_s=parent.source.start_s + start_s)
            inherited = self._inherited(parent.id)
        return self._publish(Clip(audio.digest, _plain(name), _long_enough(audio), source), inherited)

    def has(self, id: str) -> bool:
        return ID.fullmatch(id) is not None and (self._folder / id).is_dir()

    def get(self, id: str) -> Clip:
        """Return a stored clip, verified by its hash. Raises UnknownClip, and BadAudio if the file is damaged."""
        folder = self._of(id)
        try:
            facts = json.loads((folder / FACTS).read_text("utf-8"))
            samples, rate = soundfile.read(folder / AUDIO, dtype="float32")
            audio = Audio(samples, int(rate))
            clip = Clip(id, str(facts["name"]), audio, Source(**facts["source"]))
        except (OSError, ValueError, KeyError, TypeError, soundfile.LibsndfileError) as error:
            raise BadAudio("this clip is damaged on disk; upload the clip again") from error
        if audio.digest != id:
            raise BadAudio("this clip was changed on disk; upload the clip again")
        return clip

    def stamp(self, id: str) -> Stamp:
        """Return a value that changes when the sound file of a clip changes; zeros if it is missing. Raises UnknownClip."""
        try:
            found = (self._of(id) / AUDIO).stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_mtime_ns, found.st_size

    def bytes(self, id: str) -> int:
        """Return the size of a clip and its original on the disk; 0 if the clip is not stored."""
        return sum(path.stat().st_size for path in self._folder.joinpath(id).glob("*")) if self.has(id) else 0

    def remove(self, id: str) -> None:
        """Erase a clip and its original. Raises UnknownClip."""
        shutil.rmtree(self._of(id))

    def original(self, id: str) -> Path | None:
        """Return the uploaded file; None for audio generated here. Raises UnknownClip."""
        path = self._of(id) / ORIGINAL
        return path if path.is_file() else None

    def unrepaired(self, clip: Clip, window: Window) -> Audio | None:
        """Return the same window of the clip's first ancestor; None if the clip was not repaired. Raises UnknownClip."""
        path = self._of(clip.id) / UNREPAIRED
        if not path.is_file():
            return None
        samples, rate = soundfile.read(path, dtype="float32")
        start_s = clip.source.start_s
        return cut(Audio(samples, int(rate)), Window(start_s + window.start_s, start_s + window.end_s))

    def _inherited(self, id: str) -> dict[str, Path]:
        """Return the files that a repaired form of this clip inherits."""
        folder = self._of(id)
        ancestor = folder / UNREPAIRED if (folder / UNREPAIRED).is_file() else folder / AUDIO
        original = self.original(id)
        return {UNREPAIRED: ancestor} | ({ORIGINAL: original} if original else {})

    def samples(self) -> list[Sample]:
        """Return the shipped references that have a `.txt` transcript, by name; none if the folder is absent."""
        if self._samples_dir is None or not self._samples_dir.is_dir():
            return []
        pairs = [(path, path.with_suffix(".txt")) for path in sorted(self._samples_dir.iterdir())]
        return [
            Sample(path.stem, path, transcript.read_text("utf-8").strip())
            for path, transcript in pairs
            if path != transcript and transcript.is_file()
        ]

    def _of(self, id: str) -> Path:
        if not self.has(id):
            raise UnknownClip("this clip no longer exists; upload the clip again")
        return self._folder / id

    def _publish(self, clip: Clip, extra: Mapping[str, Path]) -> Clip:
        target = self._folder / clip.id
        if target.is_dir():
            return clip
        with self._staging() as folder:
            # Encoded in memory first, because libsndfile does not report a full disk.
            (folder / AUDIO).write_bytes(float_wav(clip.audio))
            facts = {"name": clip.name, "source": asdict(clip.source)}
            (folder / FACTS).write_text(json.dumps(facts, ensure_ascii=False), "utf-8")
            for kept, path in extra.items():
                self._place(path, folder / kept)
            publish_folder(folder, target)  # an existing clip with this id has the same audio
        return clip

    def _place(self, path: Path, target: Path) -> None:
        """Link a file of this store, which needs no further space; copy any other file, because its content may change."""
        if path.is_relative_to(self._folder):
            link_or_copy(path, target)
        else:
            shutil.copyfile(path, target)

    @contextmanager
    def _staging(self) -> Iterator[Path]:
        folder = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=STAGING, dir=self._folder))
            yield folder
        except OSError as error:
            if is_disk_full(error):
                raise NoRoom(DISK_FULL) from error
            raise NoRoom(
                "the clip was not saved because the data folder is not writable; check the permissions of the "
                "data folder"
            ) from error
        finally:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def decode_clip(path: Path) -> Decoded:
    """Read a sound file as a clip. Raises BadAudio if the file is not sound, too short, too long or too large."""
    if path.is_file() and path.stat().st_size > MAX_BYTES:
        raise BadAudio(
            f"the file is larger than {MAX_BYTES // 2**20} MB; cut the clip to less than {MAX_S:.0f} s first"
        )
    decoded = decode_channels(path, max_duration_s=MAX_S)
    _long_enough(decoded.mix)
    return decoded


def _long_enough(audio: Audio) -> Audio:
    if audio.duration_s < MIN_S:
        raise BadAudio(
            f"the clip is {audio.duration_s:.2f} s long, but a voice needs at least {MIN_S:.0f} s; use a "
            "clip of 3 to 12 s"
        )
    return audio


def _plain(name: str) -> str:
    """Return a file name without folders and control characters."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in base if unicodedata.category(c)[0] != "C").strip()[:NAME_MAX] or "clip"
