"""The comparison of a sheet with its changed file as JSON."""

import hashlib
import json
from collections import Counter
from collections.abc import Set
from dataclasses import asdict
from typing import Any, get_args

from studio.script.format.script import Role
from studio.script.sheet_differences import LineDifference, LineKind, SheetComparison


def comparison_json(comparison: SheetComparison) -> dict[str, Any]:
    """Return every line that differs, the number of lines of each kind, and the added and removed columns."""
    shared = _shared_ids(comparison)
    kinds = Counter(each.kind for each in comparison.lines)
    return {
        "name": comparison.sheet.name,
        "digest": comparison_digest(comparison),
        "counts": {kind: kinds[kind] for kind in get_args(LineKind)},
        "unchanged": len(comparison.table.rows) - sum(each.row is not None for each in comparison.lines),
        "new_columns": comparison.new_columns,
        "lost_columns": comparison.lost_columns,
        "lines": [_line_json(comparison, each, shared) for each in comparison.lines],
    }


def comparison_digest(comparison: SheetComparison) -> str:
    """Return a digest of all differences; equal digests mean equal differences."""
    content = [
        [each.line.key if each.line else "", each.kind, each.row, [asdict(cell) for cell in each.cells]]
        for each in comparison.lines
    ]
    return hashlib.sha256(json.dumps([content, comparison.table.rows]).encode()).hexdigest()[:16]


def _line_json(comparison: SheetComparison, difference: LineDifference, shared: Set[str]) -> dict[str, Any]:
    line, columns = difference.line, comparison.table.columns
    id = _named(comparison, difference, "id")
    return {
        "key": line.key if line else "",
        "kind": difference.kind,
        "id": id,
        "character": _named(comparison, difference, "character"),
        "text": _named(comparison, difference, "text"),
        "in_file": difference.row is not None,
        "deleted": bool(line and line.deleted and not line.dropped),
        "takes": len(line.takes) if line else 0,
        "moved": difference.moved,
        "shares_id": id in shared,
        "keepable": difference.keepable,
        "kept": difference.kept,
        "cells": [
            asdict(cell) | {"title": columns[cell.column] or f"Column {cell.column + 1}"} for cell in difference.cells
        ],
    }


def _named(comparison: SheetComparison, difference: LineDifference, role: Role) -> str:
    """Return the line's cell in the column of a role: from the file, or from the studio if the file lacks the line."""
    column = comparison.roles.get(role)
    if column is None:
        return ""
    if difference.row is not None:
        return comparison.table.rows[difference.row][column].strip()
    return comparison.laid_out(difference.line.cells)[column].strip() if difference.line else ""


def _shared_ids(comparison: SheetComparison) -> Set[str]:
    """Return the ids that occur in several rows of the file."""
    column = comparison.roles.get("id")
    if column is None:
        return frozenset()
    counts = Counter(row[column].strip() for row in comparison.table.rows)
    return {id for id, count in counts.items() if id and count > 1}
