"""Checks of unpacked members: metadata, transcript, audio and portrait."""

from collections.abc import Collection
from pathlib import Path

import soundfile

from engines.audio import decode_channels
from engines.errors import BadAudio
from engines.registry import specs
from studio.archive.errors import BadArchive
from studio.champion_format.champion import BadChampion, Champion
from studio.champion_format.members import (
    METADATA,
    ORIGINAL,
    PICTURES,
    PORTRAITS,
    REFERENCE,
    REQUIRED,
    TRANSCRIPT,
    WEIGHTS,
)
from studio.references.acceptance import require_voice
from studio.references.clip import Source
from studio.references.library import MAX_S, MIN_S

FRAMES_MAX = int(MAX_S * 48_000)  # limit at any sample rate
CONTAINERS = {REFERENCE: ("WAV", "WAVEX"), ORIGINAL: ("FLAC",)}


def check_members(folder: Path, names: Collection[str], as_id: str = "") -> Champion:
    """Return the champion whose members are in `folder`.

    `names` lists the members of its archive; only the weights may be missing in the folder. `as_id` replaces the champion's
    id. Raises BadArchive.
    """
    if missing := [name for name in REQUIRED if name not in names]:
        raise BadArchive(f"the archive lacks {' and '.join(missing)}; export the archive again")
    try:
        champion = Champion.read((folder / METADATA).read_bytes(), (folder / TRANSCRIPT).read_bytes(), as_id)
    except BadChampion as error:
        raise BadArchive(str(error)) from error
    if champion.fine_tuned and WEIGHTS not in names:
        raise BadArchive(
            "metadata.json says the voice is fine-tuned, but model.pt is missing; download the archive again"
        )
    if not champion.fine_tuned and WEIGHTS in names:
        raise BadArchive(
            'the archive has a model.pt, but metadata.json does not say "model_type": "fine_tuned"; correct '
            "metadata.json"
        )
    for name in sorted(CONTAINERS.keys() & set(names)):
        _check_sound(folder / name)
    _check_pictures(folder, [name for name in PORTRAITS if name in names])
    return champion


def _check_sound(path: Path) -> None:
    """Check a sound file like an upload.

    Only one container and a correct length are accepted, so that no other program than libsndfile opens the file.
    """
    try:
        with soundfile.SoundFile(path) as sound:
            container, rate, frames = sound.format, sound.samplerate, sound.frames
        if container not in CONTAINERS[path.name]:
            raise BadArchive(f"{path.name} is {container}; replace the file with a {CONTAINERS[path.name][0]} file")
        longest_s = max(engine.reference_max_s for engine in specs())  # a champion's reference is used as a whole
        if not MIN_S * rate <= frames <= min(longest_s * rate, FRAMES_MAX):
            raise BadArchive(
                f"{path.name} must be {MIN_S:.0f} to {longest_s:.0f} s long, best 3 to 12 s; cut the audio"
            )
        decoded = decode_channels(path, max_duration_s=MAX_S, foreign=False)
        if len(decoded.mix.samples) != frames:  # engines read only as many frames as the header gives
            raise BadArchive(f"{path.name} is longer than its header says; export the audio again")
        require_voice(decoded.mix, Source.of(decoded))
    except (soundfile.LibsndfileError, TypeError) as error:
        raise BadArchive(f"{path.name} is not audio or is damaged; download or export the archive again") from error
    except BadAudio as error:
        raise BadArchive(f"{path.name}: {error}") from error


def _check_pictures(folder: Path, names: Collection[str]) -> None:
    if len(names) > 1:
        raise BadArchive(f"the archive has {len(names)} portraits; keep one portrait and pack the archive again")
    for name in names:
        with (folder / name).open("rb") as file:
            if PICTURES[name].match(file.read(12)) is None:
                raise BadArchive(f"{name} does not match its picture format; replace or remove the picture")
