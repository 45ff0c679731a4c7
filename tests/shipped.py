"""What is wrong with a delivered zip, seen from outside: nothing of the studio's own code is used to read it."""

import csv
import hashlib
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree

import soundfile

NEAR_S = 0.006  # a frame of 5 ms by which speech is found, and rounding
EXACT_S = 0.056
HEAD_S, TAIL_S, FADE_S = 0.05, 0.1, 0.005
CUE = re.compile(r"(\d+)\n(\d+):(\d\d):(\d\d),(\d{3}) --> (\d+):(\d\d):(\d\d),(\d{3})\n(.+?)\n\n", re.DOTALL)


@dataclass(frozen=True)
class Shipped:
    """A line of the script as it should be in the zip."""

    id: str
    text: str  # what the audio says, as it is written and without stage directions
    character: str = "Ahri"
    take: int = 1
    sheet_text: str = ""  # what the sheet says now, if the audio says something else
    at_most_s: float | None = None
    exactly_s: float | None = None


def problems(content: bytes, lines: Sequence[Shipped], absent: Sequence[str]) -> list[str]:
    """Return one sentence for everything that is wrong. `absent` may stand in no text of the zip."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        files = {name: archive.read(name) for name in names}
    found = [*_names(names), *_absent(files, absent)]
    for check in (_manifests, _wwise, _fmod, _unreal_strings, _unreal_dialogue, _unity):
        try:
            found += check(files, lines)
        except (KeyError, ValueError, IndexError) as error:
            found.append(f"{check.__name__} cannot be read: {error!r}")
    return found


def _names(names: Sequence[str]) -> Iterator[str]:
    if len({name.casefold() for name in names}) != len(names):
        yield "two files have one name"
    for name in names:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
            yield f"{name} leaves the delivery"


def _absent(files: Mapping[str, bytes], absent: Sequence[str]) -> Iterator[str]:
    for name, data in files.items():
        for words in absent:
            if words.encode() in data:
                yield f"{name} has {words!r}"


def _manifests(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    answer = json.loads(files["manifest.json"])["files"]
    table = list(csv.DictReader(io.StringIO(files["manifest.csv"].decode("utf-8-sig"), newline="")))
    yield from _same("ids of manifest.json", [file["id"] for file in answer], [line.id for line in lines])
    listed = {path for file in answer for path in (file["file"], *file["sidecars"])}
    tables = {name for name in files if "/" not in name and name not in listed}
    yield from _same("files that the manifest does not list", sorted(set(files) - listed - tables), [])
    for file, row, line in zip(answer, table, lines, strict=True):
        yield from _manifest_row(file, row, line)
        yield from _sound(files, file, line)
        stem = file["file"].rpartition(".")[0]
        yield from _subtitles(f"{stem}.srt", files, line, file["duration_s"])
        yield from _timings(f"{stem}.timings.json", files, line, file["duration_s"])


def _manifest_row(file: Mapping[str, Any], row: Mapping[str, str], line: Shipped) -> Iterator[str]:
    for name in ("id", "text", "character", "file", "voice", "engine", "changed", "sheet_text"):
        yield from _same(f"{name} of {line.id} in manifest.csv", row[name], file[name])
    yield from _same(f"text of {line.id}", file["text"], line.text)
    yield from _same(f"character of {line.id}", file["character"], line.character)
    yield from _same(f"take of {line.id}", file["take"], line.take)
    yield from _same(f"text of the sheet of {line.id}", file["sheet_text"], line.sheet_text)
    yield from _same(f"{line.id} is marked as changed", bool(file["changed"]), bool(line.sheet_text))
    flagged = any("stale" in flag for flag in file["flags"])
    yield from _same(f"{line.id} is flagged as stale", flagged, bool(line.sheet_text))


def _sound(files: Mapping[str, bytes], file: Mapping[str, Any], line: Shipped) -> Iterator[str]:
    data = files[file["file"]]
    yield from _same(f"digest of {line.id}", file["sha256"], hashlib.sha256(data).hexdigest())
    samples, rate = soundfile.read(io.BytesIO(data))
    info = soundfile.info(io.BytesIO(data))
    length_s = len(samples) / rate
    yield from _same(f"format of {line.id}", (rate, info.subtype), (file["sample_rate"], f"PCM_{file['bits']}"))
    if abs(length_s - file["duration_s"]) > 0.001:
        yield f"{line.id} lasts {length_s:.3f} s, not {file['duration_s']} s"
    if line.at_most_s is not None and length_s > line.at_most_s + NEAR_S:
        yield f"{line.id} lasts {length_s:.3f} s, more than {line.at_most_s} s"
    if line.exactly_s is not None and abs(length_s - line.exactly_s) > EXACT_S:
        yield f"{line.id} lasts {length_s:.3f} s, not {line.exactly_s} s"
    quiet = samples[: round((HEAD_S - FADE_S) * rate)], samples[-round((TAIL_S - FADE_S) * rate) :]
    if any(part.any() for part in quiet):
        yield f"the edges of {line.id} are not silent"
    parts = dict(_chunks(data))
    text = ElementTree.fromstring(parts[b"iXML"].decode()).findtext("ASWG/text")
    yield from _same(f"text within the file of {line.id}", text, line.text)
    description = parts[b"bext"][:256].rstrip(b"\0").decode("ascii")
    plain = line.text.encode("ascii", "ignore").decode()
    if not description.startswith(f"{line.id}: ") or description[len(line.id) + 2 :][:8] != plain[:8]:
        yield f"bext of {line.id} says {description!r}"


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        yield name, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def _subtitles(name: str, files: Mapping[str, bytes], line: Shipped, length_s: float) -> Iterator[str]:
    text = files[name].decode()
    cues = [match.groups() for match in CUE.finditer(text)]
    yield from _same(f"numbers of {name}", [int(cue[0]) for cue in cues], list(range(1, len(cues) + 1)))
    yield from _same(f"rest of {name}", CUE.sub("", text), "")
    yield from _same(
        f"words of {name}", " ".join(" ".join(cue[9].split()) for cue in cues), " ".join(line.text.split())
    )
    times = [time_s for cue in cues for time_s in (_seconds(cue[1:5]), _seconds(cue[5:9]))]
    if times != sorted(times) or times[-1] > length_s + 0.001:
        yield f"times of {name} are not in order within {length_s} s: {times}"


def _seconds(parts: Sequence[str]) -> float:
    hours, minutes, seconds, thousandths = map(int, parts)
    return 3600 * hours + 60 * minutes + seconds + thousandths / 1000


def _timings(name: str, files: Mapping[str, bytes], line: Shipped, length_s: float) -> Iterator[str]:
    answer = json.loads(files[name])
    yield from _same(f"text of {name}", answer["text"], line.text)
    yield from _same(f"length of {name}", answer["duration_s"], length_s)
    words = [word["word"] for word in answer["words"]]
    if words:
        yield from _same(f"words of {name}", _letters(" ".join(words)), _letters(line.text))


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _wwise(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    header, *rows = [row.split("\t") for row in files["wwise.tsv"].decode().split("\r\n")[:-1]]
    at = header.index
    paths = [row[at("Audio File")].replace("\\", "/") for row in rows]
    yield from _present("wwise.tsv", paths, files)
    objects = [row[at("Object Path")].rpartition("<Sound Voice>")[2] for row in rows]
    yield from _same("objects of wwise.tsv", objects, [line.id for line in lines])
    yield from _same("texts of wwise.tsv", [row[at("Notes")] for row in rows], [line.text for line in lines])


def _fmod(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    rows = [row.split(", ", 1) for row in files["keys.txt"].decode().splitlines()]
    yield from _present("keys.txt", [path for _, path in rows], files)
    yield from _same("keys of keys.txt", [key for key, _ in rows], [line.id for line in lines])


def _unreal_strings(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    yield from _table("unreal-strings.csv", files, lines, ("Key", "SourceString", lambda row: row["AudioFile"]))


def _unreal_dialogue(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    answer = files["unreal-dialogue.csv"].decode()
    plain = {**files, "unreal-dialogue.csv": re.sub(r'\(""(.+?)""\)', r"\1", answer).encode()}
    columns = ("LocalizationKeys", "SpokenDialogue", lambda row: row["AudioFileName"])
    yield from _table("unreal-dialogue.csv", plain, lines, columns)


def _unity(files: Mapping[str, bytes], lines: Sequence[Shipped]) -> Iterator[str]:
    columns = ("Key", "English(en)", lambda row: row["Shared Comments"].split(" · ")[-1])
    yield from _table("unity-strings.csv", files, lines, columns)


def _table(
    name: str,
    files: Mapping[str, bytes],
    lines: Sequence[Shipped],
    columns: tuple[str, str, Callable[[Mapping[str, str]], str]],
) -> Iterator[str]:
    key, text, path = columns
    rows = list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))
    yield from _present(name, [path(row) for row in rows], files)
    yield from _same(f"keys of {name}", [row[key] for row in rows], [line.id for line in lines])
    yield from _same(f"texts of {name}", [row[text] for row in rows], [line.text for line in lines])


def _present(name: str, paths: Sequence[str], files: Mapping[str, bytes]) -> Iterator[str]:
    sounds = [file["file"] for file in json.loads(files["manifest.json"])["files"]]
    yield from _same(f"files of {name}", list(paths), sounds)
    yield from (f"{name} names {path}, which is not there" for path in paths if path not in files)


def _same(what: str, found: object, wanted: object) -> Iterator[str]:
    if found != wanted:
        yield f"{what}: {found!r}, not {wanted!r}"
