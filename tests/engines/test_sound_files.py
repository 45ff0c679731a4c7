"""Containers and faults: files that are decoded completely, and files that are refused with a reason."""

import io
import random
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
import soundfile

from engines.audio import decode
from engines.errors import BadAudio

RATE = 24_000
FIRST_S, SECOND_S, QUIET_S = 2.0, 1.5, 3.0
LONG_S = QUIET_S + FIRST_S
PACKETS_S = 0.16  # padding that codecs and joins may add, a packet or two


def noise(length_s: float, seed: int = 0) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).standard_normal(round(length_s * RATE))).astype(np.float32)


@dataclass(frozen=True)
class Workshop:
    """Creates and caches audio files."""

    folder: Path

    def coded(self, name: str, *options: str) -> bytes:
        """Return the recording named before the dot in the format named after the dot, as in `first.mp3`."""
        path = self.folder / ("".join(options) + name).replace("/", "")
        if not path.exists():
            sounds = {"first": noise(FIRST_S), "second": noise(SECOND_S, 1)}
            sounds["long"] = np.concatenate([np.zeros(round(QUIET_S * RATE), np.float32), sounds["first"]])
            source = self.folder / f"{path.name}-source.wav"
            soundfile.write(source, sounds[path.stem.removeprefix("".join(options).replace("/", ""))], RATE)
            self.ffmpeg("-i", str(source), *options, str(path))
        return path.read_bytes()

    def film(self, ending: str, picture: str, sound: str) -> bytes:
        """Return a video with eight seconds of picture and two of audio."""
        source, path = self.folder / "film.wav", self.folder / f"film.{ending}"
        soundfile.write(source, noise(FIRST_S), RATE)
        drawn = ("-f", "lavfi", "-i", "color=d=8:s=64x64:r=10")
        self.ffmpeg(*drawn, "-i", str(source), "-c:v", picture, "-c:a", sound, str(path))
        return path.read_bytes()

    def ffmpeg(self, *arguments: str) -> None:
        subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-v", "error", *arguments], check=True)

    def plain(self, container: str, seconds: float = FIRST_S) -> bytes:
        file = io.BytesIO()
        soundfile.write(file, noise(seconds), RATE, format=container, subtype="PCM_16")
        return file.getvalue()


Make = Callable[[Workshop], bytes]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("sound-files"))


def joined(ending: str, *options: str) -> Make:
    return lambda shop: shop.coded(f"first.{ending}", *options) + shop.coded(f"second.{ending}", *options)


def sized(container: str, value: int, form: str = "<I") -> Make:
    """Return a file with another audio size in its header; a placeholder also replaces the file size."""

    def make(shop: Workshop) -> bytes:
        data = bytearray(shop.plain(container))
        fields = {
            "WAV": data.find(b"data") + 4,
            "RF64": data.find(b"ds64") + 16,
            "AIFF": data.find(b"SSND") + 4,
            "AU": 8,
            "CAF": data.find(b"data") + 4,
            "W64": data.find(b"data\xf3\xac\xd3\x11") + 16,
        }
        struct.pack_into(form, data, fields[container], value)
        return bytes(data)

    return make


def beyond(container: str, extra: int, form: str) -> Make:
    """Return a file whose header gives `extra` bytes of audio too many."""
    return sized(container, round(FIRST_S * RATE) * 2 + extra, form)


def cut(make: Make, fraction: float = 0.6) -> Make:
    return lambda shop: (whole := make(shop))[: int(len(whole) * fraction)]


def coded(name: str, *options: str) -> Make:
    return lambda shop: shop.coded(name, *options)


def flac_of_claimed(frames: int) -> Make:
    def make(shop: Workshop) -> bytes:
        data = bytearray(shop.coded("first.flac"))
        data[21] &= 0xF0
        data[22:26] = frames.to_bytes(4, "big")
        return bytes(data)

    return make


def with_list_chunk(shop: Workshop) -> bytes:
    data = shop.plain("WAV") + b"LIST" + struct.pack("<I", 500) + b"INFO" + b"\x7f" * 496
    return data[:4] + struct.pack("<I", len(data) - 8) + data[8:]


def stale(shop: Workshop) -> bytes:
    """Return a file of a recorder that wrote the header too early: the audio exceeds the size in the header."""
    return sized("WAV", RATE)(shop)


def unfinished(shop: Workshop) -> bytes:
    """Return a file of a recorder that never completed the header: the header has the sizes of an empty file."""
    data = bytearray(sized("WAV", 0)(shop))
    struct.pack_into("<I", data, 4, 36)
    return bytes(data)


ID3 = b"ID3\x04\0\0\0\0\0\x3f" + bytes(63)
NO_XING = ("-write_xing", "0")

READ: dict[str, tuple[Make, float]] = {
    "MP3": (coded("long.mp3"), LONG_S),
    "MP3 without a Xing header": (coded("long.mp3", "-q:a", "2", *NO_XING), LONG_S),
    "MP3 of average bit rate, without a Xing header": (coded("long.mp3", "-abr", "1", "-b:a", "64k", *NO_XING), LONG_S),
    "MP3 of average bit rate": (coded("long.mp3", "-abr", "1", "-b:a", "64k"), LONG_S),
    "MP3 behind an ID3 tag": (coded("first.mp3", "-id3v2_version", "3", "-metadata", "title=x"), FIRST_S),
    "MP3 before an ID3v1 tag": (lambda shop: shop.coded("first.mp3") + b"TAG" + b"x" * 125, FIRST_S),
    "MP3 behind zeros": (lambda shop: bytes(5_000) + shop.coded("first.mp3"), FIRST_S),
    "two MP3": (joined("mp3"), FIRST_S + SECOND_S),
    "two MP3 without Xing headers": (joined("mp3", *NO_XING), FIRST_S + SECOND_S),
    "two MP3 of two rates": (
        lambda shop: shop.coded("first.mp3") + shop.coded("second.mp3", "-ar", "48000"),
        FIRST_S + SECOND_S,
    ),
    "two Ogg Vorbis": (joined("ogg"), FIRST_S + SECOND_S),
    "two Ogg Vorbis of two rates and channels": (
        lambda shop: shop.coded("first.ogg") + shop.coded("second.ogg", "-ar", "48000", "-ac", "2"),
        FIRST_S + SECOND_S,
    ),
    "two Opus": (joined("opus"), FIRST_S + SECOND_S),
    "Opus behind Vorbis": (lambda shop: shop.coded("first.ogg") + shop.coded("second.opus"), FIRST_S + SECOND_S),
    "two FLAC": (joined("flac"), FIRST_S + SECOND_S),
    "two FLAC of two rates": (
        lambda shop: shop.coded("first.flac") + shop.coded("second.flac", "-ar", "48000"),
        FIRST_S + SECOND_S,
    ),
    "FLAC in Ogg, twice": (joined("oga", "-c:a", "flac"), FIRST_S + SECOND_S),
    "FLAC of unknown length": (flac_of_claimed(0), FIRST_S),
    "FLAC that goes on behind its length": (flac_of_claimed(RATE // 2), FIRST_S),
    "FLAC behind an ID3 tag": (lambda shop: ID3 + shop.coded("first.flac"), FIRST_S),
    "AAC": (coded("first.aac"), FIRST_S),
    "AAC that begins with silence": (coded("long.aac"), LONG_S),
    "two AAC": (joined("aac"), FIRST_S + SECOND_S),
    "two AAC behind ID3 tags": (lambda shop: (ID3 + shop.coded("first.aac")) * 2, 2 * FIRST_S),
    "M4A": (coded("long.m4a"), LONG_S),
    "MP4 whose picture lasts longer": (lambda shop: shop.film("mp4", "mpeg4", "aac"), FIRST_S),
    "WebM whose picture lasts longer": (lambda shop: shop.film("webm", "libvpx", "libopus"), FIRST_S),
    "WebM without a length": (coded("first.webm", "-live", "1"), FIRST_S),
    "two WebM": (joined("webm"), FIRST_S + SECOND_S),
    "MP3 in WAV": (coded("long.wav", "-c:a", "libmp3lame"), LONG_S),
    "WAV with a chunk behind the sound": (with_list_chunk, FIRST_S),
    "WAV with junk behind it": (lambda shop: shop.plain("WAV") + b"x" * 3_001, FIRST_S),
    "two WAV": (lambda shop: shop.plain("WAV") + shop.plain("WAV", SECOND_S), FIRST_S + SECOND_S),
    "WAV whose sound goes on behind its size": (stale, FIRST_S),
    "WAV whose header was never finished": (unfinished, FIRST_S),
    "WAV of size 0": (sized("WAV", 0), FIRST_S),
    "WAV of size 0x7fffffff": (sized("WAV", 0x7FFFFFFF), FIRST_S),
    "WAV of size 0x7ffff000": (sized("WAV", 0x7FFFF000), FIRST_S),
    "WAV of size 0x80000000": (sized("WAV", 0x80000000), FIRST_S),
    "WAV of size 0xffffffff": (sized("WAV", 0xFFFFFFFF), FIRST_S),
    "WAV one byte too long": (beyond("WAV", 1, "<I"), FIRST_S),
    "WAV that counts its header": (beyond("WAV", 44, "<I"), FIRST_S),
    "RF64 of size 0": (sized("RF64", 0, "<q"), FIRST_S),
    "RF64 of size -1": (sized("RF64", -1, "<q"), FIRST_S),
    "RF64 of size 2^40": (sized("RF64", 2**40, "<q"), FIRST_S),
    "RF64 one byte too long": (beyond("RF64", 1, "<q"), FIRST_S),
    "RF64 whose sound goes on behind its size": (sized("RF64", 1_000, "<q"), FIRST_S),
    "W64 of size 0": (sized("W64", 0, "<q"), FIRST_S),
    "W64 of size -1": (sized("W64", -1, "<q"), FIRST_S),
    "W64 one byte too long": (beyond("W64", 25, "<q"), FIRST_S),
    "AIFF of size 0": (sized("AIFF", 0, ">I"), FIRST_S),
    "AIFF of size 0x7fffffff": (sized("AIFF", 0x7FFFFFFF, ">I"), FIRST_S),
    "AIFF whose sound goes on behind its size": (sized("AIFF", 1_000, ">I"), FIRST_S),
    "AU of size 0": (sized("AU", 0, ">I"), FIRST_S),
    "AU of size 0xffffffff": (sized("AU", 0xFFFFFFFF, ">I"), FIRST_S),
    "AU of size 0x7fffffff": (sized("AU", 0x7FFFFFFF, ">I"), FIRST_S),
    "AU one byte too long": (beyond("AU", 1, ">I"), FIRST_S),
    "CAF of size 0": (sized("CAF", 0, ">q"), FIRST_S),
    "CAF of size -1": (sized("CAF", -1, ">q"), FIRST_S),
    "CAF of size 2^40": (sized("CAF", 2**40, ">q"), FIRST_S),
}


@pytest.mark.parametrize("name", READ)
def test_a_file_is_decoded_completely(workshop, tmp_path, name):
    make, expected_s = READ[name]
    (tmp_path / "file").write_bytes(make(workshop))
    assert decode(tmp_path / "file", max_duration_s=30).duration_s == pytest.approx(expected_s, abs=PACKETS_S)


def damaged_flac(shop: Workshop) -> bytes:
    data = bytearray(shop.coded("first.flac"))
    data[len(data) // 2] ^= 0xFF
    return bytes(data)


def damaged_mp3(shop: Workshop) -> bytes:
    """Return an MP3 file with its frame headers and random bytes between them."""
    start = shop.coded("first.mp3")
    return start[:1_000] + random.Random(0).randbytes(60_000)


REFUSED: dict[str, tuple[Make, str]] = {
    "MP3 cut off": (cut(coded("first.mp3")), r"cut off: it can be decoded for 1\.\d s of 2\.0 s"),
    "MP3 of drawn bytes": (damaged_mp3, "not audio that the studio can read|damaged"),
    "M4A cut off": (cut(coded("long.m4a", "-movflags", "+faststart"), 0.8), r"decoded for \d\.\d s of 5\.0 s"),
    "M4A without its index": (cut(coded("long.m4a")), "not audio that the studio can read, or is cut off"),
    "two M4A": (joined("m4a"), "contains several joined recordings"),
    "AAC cut off": (cut(coded("first.aac")), r"cut off: it can be decoded for 1\.\d s;"),
    "WebM cut off": (cut(coded("long.webm"), 0.8), r"decoded for \d\.\d s of 5\.0 s"),
    "Ogg cut off": (cut(coded("first.ogg")), r"cut off \(at least [\d,]+ bytes are missing at its end\)"),
    "Opus cut off": (cut(coded("first.opus")), r"cut off \(at least [\d,]+ bytes are missing at its end\)"),
    "FLAC cut off": (cut(coded("first.flac")), r"cut off: it can be decoded for 1\.\d s of 2\.0 s"),
    "FLAC with a wrong bit": (damaged_flac, "is damaged"),
    "FLAC whose second recording is cut off": (cut(joined("flac"), 0.8), r"decoded for 0\.\d s of 1\.5 s"),
    "WAV cut off": (cut(lambda shop: shop.plain("WAV")), r"cut off \(38,\d{3} bytes are missing at its end\)"),
    "RF64 cut off": (cut(lambda shop: shop.plain("RF64")), "bytes are missing at its end"),
    "W64 cut off": (cut(lambda shop: shop.plain("W64")), "bytes are missing at its end"),
    "AIFF cut off": (cut(lambda shop: shop.plain("AIFF")), "bytes are missing at its end"),
    "AU cut off": (cut(lambda shop: shop.plain("AU")), "bytes are missing at its end"),
    "CAF cut off": (cut(lambda shop: shop.plain("CAF")), "bytes are missing at its end"),
    "WAV without sound": (lambda shop: shop.plain("WAV", 0), "has no audio"),
    "WAV without sound before a chunk": (
        lambda shop: shop.plain("WAV", 0) + b"LIST" + struct.pack("<I", 4) + b"INFO",
        "has no audio",
    ),
    "65 WAV": (lambda shop: shop.plain("WAV", 0.1) * 65, "over 64 joined recordings"),
    "a hundred thousand Ogg streams": (
        lambda shop: shop.coded("first.ogg")[:58] * 100_000,
        "over 64 joined recordings|cut off",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_decoded_completely_is_refused_with_a_reason(workshop, tmp_path, name):
    make, words = REFUSED[name]
    (tmp_path / "file").write_bytes(make(workshop))
    with pytest.raises(BadAudio, match=words):
        decode(tmp_path / "file", max_duration_s=30)


def test_an_mp3_without_a_length_stops_at_the_limit(workshop, tmp_path):
    hush = (b"\xff\xf3\x14\xc4" + bytes(20)) * 100_000  # 40 minutes of frames at 24 kHz, 8 kbit/s
    (tmp_path / "file").write_bytes(hush)
    with pytest.raises(BadAudio, match="longer than 30 s"):
        decode(tmp_path / "file", max_duration_s=30)


def test_parts_together_may_not_last_longer_than_one_file(workshop, tmp_path):
    (tmp_path / "file").write_bytes(joined("flac")(workshop))
    with pytest.raises(BadAudio, match=r"lasts 3\.5 s; cut it to at most 3 s"):
        decode(tmp_path / "file", max_duration_s=3)


def test_a_corrected_header_changes_no_sample(workshop, tmp_path):
    (tmp_path / "file").write_bytes(sized("WAV", 0)(workshop))
    (tmp_path / "right").write_bytes(workshop.plain("WAV"))
    found, right = (decode(tmp_path / name, max_duration_s=3).samples for name in ("file", "right"))
    assert np.array_equal(found, right)
