"""Archives for tests: good ones as other programs make them, and the parts hostile ones are put together from."""

import gzip
import io
import shutil
import struct
import tarfile
import threading
import wave
from collections.abc import Iterable, Mapping
from pathlib import Path

from engines.errors import BadCheckpoint
from engines.types import Progress
from studio.archive import Packed, Unpacked, pack, unpack

REGULAR, FOLDER, PAX, PAX_GLOBAL = b"0", b"5", b"x", b"g"
BASE = b'{"model_type": "base", "use_base_model": true, "champion_id": "ahri"}'
TUNED = b'{"model_type": "fine_tuned", "champion_id": "yasuo"}'
WEIGHTS = b"PK\x03\x04 weights"
END = bytes(1_024)
EARLIER = Path(__file__).parents[1] / "earlier" / "ahri-8e1cde9.tar.gz"  # `base()`, whose code ends Triton under load
Changes = Mapping[str, bytes | None]
NOTHING: Changes = {}


def sound(seconds: float = 1.5, rate: int = 8_000) -> bytes:
    """A quiet square wave as a 16-bit WAV: small, and smaller still when packed."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(rate)
        written.writeframes((struct.pack("<h", 900) * 40 + struct.pack("<h", -900) * 40) * int(seconds * rate / 80))
    return file.getvalue()


SOUND = sound()


def base(changed: Changes = NOTHING) -> dict[str, bytes]:
    """The members of a base champion as the format has them, some changed, added, or (None) left out."""
    members = {"reference.wav": SOUND, "reference.txt": b"one two three", "metadata.json": BASE} | changed
    return {name: data for name, data in members.items() if data is not None}


def tuned(changed: Changes = NOTHING) -> dict[str, bytes]:
    return base({"metadata.json": TUNED, "model.pt": WEIGHTS} | changed)


def entry(
    name: str | bytes, data: bytes = b"", kind: bytes = REGULAR, size: int | None = None, **fields: bytes
) -> bytes:
    """One tar entry, byte by byte, so that it may say anything; `size` is what the header claims."""
    raw = name if isinstance(name, bytes) else name.encode(errors="surrogateescape")
    claimed = len(data) if size is None else size
    number = b"%011o\0" % claimed if 0 <= claimed < 8**11 else b"\x80" + claimed.to_bytes(11, "big", signed=True)
    if claimed < 0:
        number = claimed.to_bytes(12, "big", signed=True)
    header = {
        "name": raw[:100].ljust(100, b"\0"),
        "mode": b"0000644\0",
        "uid": b"0000000\0",
        "gid": b"0000000\0",
        "length": number,
        "mtime": b"%011o\0" % 0,
        "checksum": b" " * 8,
        "kind": kind,
        "linkname": bytes(100),
        "magic": b"ustar\x0000",
        "uname": bytes(32),
        "gname": bytes(32),
        "devmajor": b"0000000\0",
        "devminor": b"0000000\0",
        "prefix": bytes(155),
    }
    header |= {key: value[: len(header[key])].ljust(len(header[key]), b"\0") for key, value in fields.items()}
    block = b"".join(header.values()).ljust(512, b"\0")
    if "checksum" not in fields:
        block = block[:148] + b"%06o\0 " % sum(block) + block[156:]
    return block + data + bytes(-len(data) % 512)


def pax(records: Mapping[str, bytes], kind: bytes = PAX) -> bytes:
    """An extended header with these records, each of which begins with its own length."""
    body = b""
    for key, value in records.items():
        record = b" " + key.encode() + b"=" + value + b"\n"
        length = len(record) + len(str(len(record)))
        body += str(len(record) + len(str(length))).encode() + record
    return entry("pax", body, kind)


def tar(members: Mapping[str, bytes], before: str = "") -> bytes:
    """Entries of these files, without the end; `before` stands before each name."""
    return b"".join(entry(before + name, data) for name, data in members.items())


def packed(*entries: bytes, end: bytes = END) -> bytes:
    return gzip.compress(b"".join(entries) + end, 1, mtime=0)


def by_tarfile(members: Mapping[str, bytes], format: int = tarfile.PAX_FORMAT, before: str = "") -> bytes:
    """As Python's own packer writes it, with times and owners."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=format) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(before + name)
            info.size, info.mtime, info.uname = len(data), 1_763_700_000.25, "somebody"
            archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def files(folder: Path, members: Mapping[str, bytes]) -> dict[str, Path]:
    """Members as `pack` wants them: by name, on disk."""
    folder.mkdir(parents=True, exist_ok=True)
    return {name: written(folder / name, data) for name, data in members.items()}


def silent(_: Progress) -> None:
    """For who does not look at the progress."""


def vet(weights: Path, safetensors: Path) -> None:
    """Takes for weights what begins like a zip file, as `.pt` files do."""
    with weights.open("rb") as file:
        if file.read(2) != b"PK":
            raise BadCheckpoint("model.pt holds no weights; attach others")
    shutil.copyfile(weights, safetensors)


def pack_now(members: Mapping[str, Path], target: Path) -> Packed:
    return pack(members, target, silent, threading.Event())


def unpack_now(archive: Path, staged: Path) -> Unpacked:
    staged.mkdir(exist_ok=True)
    return unpack(archive, staged, vet, silent, threading.Event())


def contents(folder: Path, names: Iterable[str]) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names}
