"""Deliver the selected takes: files, sidecars, tables and manifest in a folder."""

import hashlib
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from engines.errors import BadInput, Cancelled
from engines.types import Progress
from studio.progress import ProgressReporter, plural
from studio.script.delivery.flags import Flag, line_flags
from studio.script.delivery.gains import gains_db
from studio.script.delivery.handoffs import handoff_files, table_names
from studio.script.delivery.identity import refuse_same_ids
from studio.script.delivery.levels import Energies, together_lufs
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.manifest import manifest_csv, manifest_json
from studio.script.delivery.naming import file_stems, refuse_collisions
from studio.script.delivery.presets import Preset
from studio.script.delivery.report import CharacterLevel, DeliveredFile, DeliveryReport
from studio.script.delivery.sidecars import ENDINGS, sidecar_texts
from studio.script.delivery.text import is_formula, legal
from studio.script.delivery.writing import LOUDNESS_WITHIN_LU, WrittenFile, written

MANIFESTS = ("manifest.csv", "manifest.json")
MEASURED_AT = 0.4  # share of the work that is done after measuring the takes


def deliver(
    lines: Sequence[DeliveredLine], preset: Preset, folder: Path, report: ProgressReporter, stop: threading.Event
) -> DeliveryReport:
    """Write a delivery to `folder`, which must be empty or absent; equal lines give equal bytes.

    Raises BadInput before the first file if names collide or there are no lines, Cancelled soon after `stop` is set, OSError.
    Files that were written before an error stay; the caller removes them.
    """
    lines = [_cleaned(line) for line in lines]
    if not lines:
        raise BadInput("nothing to deliver: no take is selected yet; mark a take of a line as select")
    refuse_same_ids([line.id for line in lines])
    stems = file_stems(lines, preset)
    _refuse_clashes(lines, stems, preset)
    _make_empty(folder)
    work = _Work(len(lines), report, stop)
    gains = gains_db(lines, preset, work.measuring)
    parts: dict[str, list[Energies]] = defaultdict(list)
    files = []
    for line, stem, gain in zip(lines, stems, gains, strict=True):
        work.writing(line)
        made = written(line, gain, preset)
        parts[line.character].append(made.energies)
        files.append(_saved(line, stem, made, preset, folder))
    levels = [_level(name, files, energies, preset) for name, energies in parts.items()]
    return _finished(_with_level_flags(files, levels), levels, preset, folder, report)


def _cleaned(line: DeliveredLine) -> DeliveredLine:
    """Return the line with texts that are legal in files."""
    texts = {field.name: legal(value) for field in fields(line) if isinstance(value := getattr(line, field.name), str)}
    words = tuple(replace(word, word=legal(word.word)) for word in line.words)
    row = {legal(name): legal(value) for name, value in line.row.items()}
    faults, voices = tuple(map(legal, line.faults)), tuple(map(legal, line.voices))
    return replace(line, words=words, row=row, faults=faults, voices=voices, **texts)  # type: ignore[arg-type]


def _refuse_clashes(lines: Sequence[DeliveredLine], stems: Sequence[str], preset: Preset) -> None:
    """Raise BadInput if a file of a line would have the name of another file or of a table."""
    endings = [f".{preset.format}", *(ending for kind in preset.sidecars for ending in ENDINGS[kind])]
    languages = [line.language for line in lines]
    tables = [*MANIFESTS, *(name for kind in preset.handoffs for name in table_names(kind, languages))]
    paths = [(stem + ending, line.id) for line, stem in zip(lines, stems, strict=True) for ending in endings]
    refuse_collisions([*(path for path, _ in paths), *tables], [*(id for _, id in paths), *tables])


def _make_empty(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadInput(f"{folder.name} is not empty; choose a new folder")


def _saved(line: DeliveredLine, stem: str, made: WrittenFile, preset: Preset, folder: Path) -> DeliveredFile:
    path = f"{stem}.{preset.format}"
    _write(folder, path, made.content)
    name = path.rpartition("/")[2]
    texts = sidecar_texts(preset.sidecars, name, line, made.words, made.duration_s)
    for ending, text in texts.items():
        _write(folder, stem + ending, text.encode())
    return DeliveredFile(
        line=line,
        path=path,
        sidecars=tuple(stem + ending for ending in texts),
        duration_s=made.duration_s,
        sample_rate=preset.sample_rate,
        bits=preset.bits if preset.format == "wav" else None,
        head_ms=made.head_ms,
        tail_ms=made.tail_ms,
        loudness_lufs=made.levels.loudness_lufs,
        true_peak_dbtp=made.levels.true_peak_dbtp,
        gain_db=made.gain_db,
        sha256=hashlib.sha256(made.content).hexdigest(),
        flags=(*line_flags(line), *made.flags),
    )


def _write(folder: Path, path: str, content: bytes) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        file.write(content)


def _level(
    character: str, files: Sequence[DeliveredFile], energies: Sequence[Energies], preset: Preset
) -> CharacterLevel:
    own = [file for file in files if file.line.character == character]
    loudness = together_lufs(energies)
    missed = preset.loudness == "character" and abs(loudness - preset.target_lufs) > LOUDNESS_WITHIN_LU
    who = f"lines of {character}" if character else "lines without a character"
    target = f"The target is {preset.target_lufs:g} LUFS. Lower the target loudness, or render the lines again."
    message = f"The loudness of all {who} together is {loudness:.1f} LUFS. {target}"
    return CharacterLevel(
        character=character,
        lines=len(own),
        gain_db=own[0].gain_db if preset.loudness == "character" else None,
        loudness_lufs=loudness,
        flags=(Flag("loudness", message),) if missed else (),
    )


def _with_level_flags(files: Sequence[DeliveredFile], levels: Sequence[CharacterLevel]) -> list[DeliveredFile]:
    flags = {level.character: level.flags for level in levels}
    return [replace(file, flags=(*file.flags, *flags[file.line.character])) for file in files]


def _finished(
    files: Sequence[DeliveredFile],
    levels: Sequence[CharacterLevel],
    preset: Preset,
    folder: Path,
    report: ProgressReporter,
) -> DeliveryReport:
    tables = dict(zip(MANIFESTS, (manifest_csv(files), manifest_json(files, levels, preset)), strict=True))
    for kind in preset.handoffs:
        tables |= handoff_files(kind, files)
    for name, text in tables.items():
        _write(folder, name, text.encode())
    report(Progress(1.0, f"{plural(len(files), 'file')} delivered"))
    paths = sorted([*tables, *(path for file in files for path in (file.path, *file.sidecars))])
    changed = sum(is_formula(file.line.text) for file in files)
    flags = (
        f"{plural(changed, 'text')} of the sheet could be read as a formula. In the tables, these texts begin with an "
        "apostrophe. manifest.json contains the exact texts.",
    )
    return DeliveryReport(
        files=tuple(files), characters=tuple(levels), paths=tuple(paths), flags=flags if changed else ()
    )


class _Work:
    """The progress of a delivery."""

    def __init__(self, total: int, report: ProgressReporter, stop: threading.Event) -> None:
        self._total, self._report, self._stop = total, report, stop
        self._measured = self._written = 0

    def measuring(self, line: DeliveredLine) -> None:
        self._tell(MEASURED_AT * self._measured / self._total, f"measuring {line.id}")
        self._measured += 1

    def writing(self, line: DeliveredLine) -> None:
        self._tell(MEASURED_AT + (1 - MEASURED_AT) * self._written / self._total, f"writing {line.id}")
        self._written += 1

    def _tell(self, fraction: float, message: str) -> None:
        if self._stop.is_set():
            raise Cancelled("the delivery was stopped")
        self._report(Progress(fraction, message))
