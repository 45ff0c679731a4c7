"""The list of what was delivered, as a table and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

from studio.script.delivery.presets import Preset, preset_json
from studio.script.delivery.report import CharacterLevel, DeliveredFile
from studio.script.delivery.text import csv_text

LINE_FIELDS = ("id", "character", "text", "emotion", "direction", "scene", "language", "notes")
TAKE_FIELDS = ("take", "voice", "version", "engine", "seed")
SHEET_FIELDS = ("changed", "sheet_text", "sheet_id")  # where the sheet differs from the take and its file
FILE_FIELDS = ("duration_s", "sample_rate", "bits", "loudness_lufs", "true_peak_dbtp", "head_ms", "tail_ms", "gain_db")
BYTE_ORDER_MARK = "\ufeff"  # without which Excel takes UTF-8 for something else
ROW_PREFIX = "sheet: "  # before the names of the sheet's other columns


def manifest_csv(files: Sequence[DeliveredFile]) -> str:
    """A row a file; the sheet's other columns come last. Formulas are neutralised, as in every table."""
    columns = list(dict.fromkeys(name for file in files for name in file.line.row))
    told_fields = ("file", *LINE_FIELDS, *TAKE_FIELDS, "settings", *SHEET_FIELDS, *FILE_FIELDS)
    header = [*told_fields, "flags", "sha256", *(ROW_PREFIX + column for column in columns)]
    rows = []
    for file in files:
        told = _told(file)
        told["settings"] = " ".join(f"{name}={value:g}" for name, value in file.line.settings.items())
        shown = ["" if told[name] is None else str(told[name]) for name in told_fields]
        flags = " ".join(flag.message for flag in file.flags)
        rows.append([*shown, flags, file.sha256, *(file.line.row.get(name, "") for name in columns)])
    return BYTE_ORDER_MARK + csv_text([header, *rows])


def manifest_json(files: Sequence[DeliveredFile], characters: Sequence[CharacterLevel], preset: Preset) -> str:
    """The same with every text exactly as it is, the sidecars, and what was chosen."""
    told: dict[str, Any] = {
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
        "files": [_told(file) for file in files],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _told(file: DeliveredFile) -> dict[str, Any]:
    line = file.line
    return {
        "file": file.path,
        **{name: getattr(line, name) for name in (*LINE_FIELDS, *TAKE_FIELDS, *SHEET_FIELDS)},
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
