"""Metadata of WAV files: EBU's bext, iXML with the fields of Sony's ASWG-G006, the language, and a cue for each word."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, tostring

from studio.ears.vocabulary import TimedWord
from studio.languages import primary
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.presets import Preset
from studio.script.delivery.riff import RiffChunk, list_chunk
from studio.script.delivery.text import ascii_only, one_line

BEXT_VERSION, IXML_VERSION, ASWG_VERSION = 2, "3.01", "1.1"
NOT_GIVEN = 0x7FFF  # value of an unknown loudness field
ISO_639_1 = 2  # letters of the only codes that ASWG-G006 allows


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLevels:
    """Levels of the samples in the file."""

    loudness_lufs: float
    momentary_lufs: float  # the loudest 400 ms
    true_peak_dbtp: float


def bext(line: DeliveredLine, preset: Preset, levels: FileLevels, digest: str) -> RiffChunk:
    """Return a Broadcast Audio Extension chunk, version 2 (EBU Tech 3285); its texts are ASCII."""
    made = line.made_at
    history = f"A=PCM,F={preset.sample_rate},W={preset.bits},M=mono,T={_field(line.engine or 'studio')}\r\n"
    loudness = [_hundredths(levels.loudness_lufs), NOT_GIVEN, _hundredths(levels.true_peak_dbtp)]
    return b"bext", struct.pack(
        "<256s32s32s10s8sQH64s5h180x",
        _ascii(f"{line.id}: {line.text}", 256),
        _ascii(preset.originator, 32),
        _ascii(digest, 32),
        made.strftime("%Y-%m-%d").encode() if made else b"",
        made.strftime("%H:%M:%S").encode() if made else b"",
        0,
        BEXT_VERSION,
        b"",
        *loudness,
        _hundredths(levels.momentary_lufs),
        NOT_GIVEN,
    ) + history.encode("ascii")


def ixml(line: DeliveredLine, preset: Preset, levels: FileLevels) -> RiffChunk:
    """Return an iXML chunk; unknown fields are left out, as its guidelines require."""
    root = Element("BWFXML")
    fields = {
        "IXML_VERSION": IXML_VERSION,
        "PROJECT": preset.project,
        "SCENE": line.scene,
        "TAKE": str(line.take),
        "NOTE": line.notes,
    }
    _add(root, fields)
    tracks = SubElement(root, "TRACK_LIST")
    _add(tracks, {"TRACK_COUNT": "1"})
    track = {"CHANNEL_INDEX": "1", "INTERLEAVE_INDEX": "1", "NAME": line.character}
    _add(SubElement(tracks, "TRACK"), track)
    _add(SubElement(root, "ASWG"), _aswg(line, preset, levels))
    return b"iXML", b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "utf-8", short_empty_elements=False)


def info(line: DeliveredLine) -> RiffChunk:
    """Return an INFO list with the BCP 47 tag of the language, which ffmpeg and ExifTool read."""
    return list_chunk(b"INFO", [(b"ILNG", line.language.encode("ascii", "replace") + b"\0")])


def cues(words: Sequence[TimedWord], rate: int) -> list[RiffChunk]:
    """Return a labelled cue point for the start of each word; nothing without words."""
    if not words:
        return []
    points = [round(word.start_s * rate) for word in words]
    entries = [struct.pack("<II4sIII", n, point, b"data", 0, 0, point) for n, point in enumerate(points, 1)]
    labels = [(b"labl", struct.pack("<I", n) + one_line(word.word).encode() + b"\0") for n, word in enumerate(words, 1)]
    return [(b"cue ", struct.pack("<I", len(entries)) + b"".join(entries)), list_chunk(b"adtl", labels)]


def _aswg(line: DeliveredLine, preset: Preset, levels: FileLevels) -> dict[str, str]:
    """Return the fields of ASWG-G006, in the order of its schema.

    The schema allows only two letters as `language`, so this field has no region. `info` returns the whole tag.
    """
    language = primary(line.language)
    return {
        "contentType": "dialog",
        "project": preset.project,
        "originator": preset.originator,
        "notes": line.notes,
        "session": preset.session,
        "state": "processed",
        "isGenerated": "true",
        "originationDate": line.made_at.strftime("%Y-%m-%d") if line.made_at else "",
        "channelConfig": "Mono",
        "loudness": f"{levels.loudness_lufs:.2f}",
        "text": line.text,
        "language": language if len(language) == ISO_639_1 else "",
        "characterName": line.character,
        "direction": line.direction,
        "usageRights": preset.usage_rights,
        "emotion": line.emotion,
        "schemaVersion": ASWG_VERSION,
    }


def _add(parent: Element, fields: Mapping[str, str]) -> None:
    for name, value in fields.items():
        if value:
            SubElement(parent, name).text = value


def _ascii(text: str, length: int) -> bytes:
    return ascii_only(text).encode()[:length]


def _field(text: str) -> str:
    """Return a text without commas, which separate the fields of a coding history."""
    return ascii_only(text).replace(",", " ")


def _hundredths(value: float) -> int:
    return max(-0x7FFF, min(NOT_GIVEN - 1, round(value * 100)))
