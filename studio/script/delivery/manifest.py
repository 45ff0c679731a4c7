"""The list of delivered files, as a table and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

from studio.script.delivery.presets import Preset, preset_json
from studio.script.delivery.report import CharacterLevel, DeliveredFile
from studio.script.delivery.text import csv_text

LINE_FIELDS = ("id", "character", "text", "emotion", "direction", "scene", "language", "notes")
TAKE_FIELDS = ("take", "take_note", "voice", "version", "engine", "seed")
SHEET_FIELDS = ("changed", "sheet_text", "sheet_id")  # present values of the sheet that differ from the take
FILE_FIELDS = ("duration_s", "sample_rate", "bits", "loudness_lufs", "true_peak_dbtp", "head_ms", "tail_ms", "gain_db")
BYTE_ORDER_MARK = "\ufeff"  # lets Excel read the file as UTF-8
ROW_PREFIX = "sheet: "  # prefix of the sheet's other columns


def manifest_csv(files: Sequence[DeliveredFile]) -> str:
    """Return a CSV with one row for each file; other columns of the sheet come last. No cell can act as a formula."""
    columns = list(dict.fromkeys(name for file in files for name in file.line.row))
    columns_of_line = ("file", *LINE_FIELDS, *TAKE_FIELDS, "settings", *SHEET_FIELDS, *FILE_FIELDS)
    header = [*columns_of_line, "flags", "sha256", "voices", *(ROW_PREFIX + column for column in columns)]
    rows = []
    for file in files:
        fields = _file_json(file)
        fields["settings"] = " ".join(f"{name}={value:g}" for name, value in file.line.settings.items())
        shown = ["" if fields[name] is None else str(fields[name]) for name in columns_of_line]
        flags = " ".join(flag.message for flag in file.flags)
        voices = ", ".join(file.line.voices)
        rows.append([*shown, flags, file.sha256, voices, *(file.line.row.get(name, "") for name in columns)])
    return BYTE_ORDER_MARK + csv_text([header, *rows])


def manifest_json(files: Sequence[DeliveredFile], characters: Sequence[CharacterLevel], preset: Preset) -> str:
    """Return JSON with unchanged texts, the sidecars, and the settings of the delivery."""
    content: dict[str, Any] = {
        "preset": preset_json(preset),
        "characters": [
            {
                "character": level.character,
                "lines": level.lines,
                "gain_db": None if level.gain_db is None else round(level.gain_db, 2),
                "loudness_lufs": round(level.loudness_lufs, 2),
                "flags": [flag.message for flag in level.flags],
            }
            for level in characters
        ],
        "files": [_file_json(file) for file in files],
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _file_json(file: DeliveredFile) -> dict[str, Any]:
    line = file.line
    return {
        "file": file.path,
        **{name: getattr(line, name) for name in (*LINE_FIELDS, *TAKE_FIELDS, *SHEET_FIELDS)},
        "voices": list(line.voices),
        "settings": dict(line.settings),
        "made_at": line.made_at.isoformat() if line.made_at else None,
        "duration_s": round(file.duration_s, 3),
        "sample_rate": file.sample_rate,
        "bits": file.bits,
        "loudness_lufs": round(file.loudness_lufs, 2),
        "true_peak_dbtp": round(file.true_peak_dbtp, 2),
        "head_ms": None if file.head_ms is None else round(file.head_ms, 1),
        "tail_ms": None if file.tail_ms is None else round(file.tail_ms, 1),
        "gain_db": round(file.gain_db, 2),
        "flags": [flag.message for flag in file.flags],
        "sidecars": list(file.sidecars),
        "sha256": file.sha256,
        "row": dict(line.row),
    }
