"""Files appear completely or not at all."""

from pathlib import Path

import pytest

from engines.runtime.publishing import publishing


def test_targets_change_only_at_the_end_and_nothing_else_is_left(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("old")
    with publishing(one, other) as parts:
        for part in parts:
            part.write_text("new")
        assert one.read_text() == "old" and not other.exists()
    assert one.read_text() == other.read_text() == "new"
    assert {path.name for path in tmp_path.iterdir()} == {"one", "other"}


def test_after_an_error_the_target_is_unchanged(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    with pytest.raises(KeyError), publishing(target) as [part]:
        part.write_text("new")
        raise KeyError("midway")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("target", "old")]


def test_an_unwritten_target_is_unchanged(tmp_path: Path) -> None:
    kept, made = tmp_path / "kept", tmp_path / "made"
    kept.write_text("old")
    with publishing(kept, made) as [_, part]:
        part.write_text("new")
    assert (kept.read_text(), made.read_text()) == ("old", "new")


def test_two_writers_of_the_same_file_do_not_interfere(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with publishing(target) as [one], publishing(target, sync=False) as [other]:
        one.write_text("one")
        other.write_text("other")
    assert target.read_text() == "one"
