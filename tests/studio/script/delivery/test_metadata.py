"""What a file says of itself, read by wavinfo; its samples never change for it."""

from dataclasses import replace
from pathlib import Path

import pytest
import soundfile
from defusedxml.ElementTree import fromstring
from wavinfo import WavInfoReader

from studio.script.delivery import Preset
from tests.studio.script.delivery.takes import WORDS, delivered, line

PRESET = Preset(project="Rift", session="act2.xlsx", usage_rights="internal", handoffs=(), sidecars=())


def file_of(folder: Path, preset: Preset = PRESET, **fields: object) -> Path:
    return folder / delivered([line(**fields)], folder, preset).files[0].path  # type: ignore[arg-type]


def test_samples_are_the_same_with_metadata_and_without(tmp_path: Path) -> None:
    described = file_of(tmp_path / "a")
    bare = file_of(tmp_path / "b", replace(PRESET, metadata=False))
    assert soundfile.read(described, dtype="int32")[0].tobytes() == soundfile.read(bare, dtype="int32")[0].tobytes()
    assert described.stat().st_size > bare.stat().st_size + 602


def test_bext_is_read(tmp_path: Path) -> None:
    report = delivered([line(text="Hörst du? 日本", engine="f5")], tmp_path, PRESET)
    bext = WavInfoReader(str(tmp_path / report.files[0].path)).bext
    assert bext.version == 2
    assert bext.description == "A2_0141: Horst du? ??"
    assert (bext.originator, bext.originator_date, bext.originator_time) == (
        "Champion Voice Studio",
        "2026-03-01",
        "12:30:05",
    )
    assert bext.loudness_value == pytest.approx(report.files[0].loudness_lufs, abs=0.01)
    assert bext.max_true_peak == pytest.approx(report.files[0].true_peak_dbtp, abs=0.01)
    assert bext.max_momentary_loudness >= bext.loudness_value - 0.1
    assert bext.coding_history == "A=PCM,F=48000,W=24,M=mono,T=f5\r\n"


def test_ixml_has_the_fields_of_aswg(tmp_path: Path) -> None:
    path = file_of(
        tmp_path, text="Who's <there> & why?\ttab", emotion="angry", direction="louder", notes="n", scene="12A", take=3
    )
    info = WavInfoReader(str(path))
    assert (info.ixml.project, info.ixml.scene, info.ixml.take) == ("Rift", "12A", "3")
    assert [track["name"] for track in info.ixml.to_dict()["track_list"]] == ["Ahri"]
    root = fromstring(_xml(path))
    answer = {field.tag: field.text for field in root.find("ASWG")}
    assert answer["text"] == "Who's <there> & why?\ttab"
    assert (answer["characterName"], answer["emotion"], answer["direction"]) == ("Ahri", "angry", "louder")
    assert (answer["isGenerated"], answer["usageRights"], answer["language"]) == ("true", "internal", "en")
    assert (answer["contentType"], answer["project"], answer["session"]) == ("dialog", "Rift", "act2.xlsx")
    assert (answer["schemaVersion"], answer["originationDate"]) == ("1.1", "2026-03-01")


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    root = fromstring(_xml(file_of(tmp_path, emotion="", language="yue", made_at=None)))
    assert {field.tag for field in root.find("ASWG")} & {"emotion", "language", "originationDate", "direction"} == set()
    assert root.find("SCENE") is None


def test_a_cue_stands_where_each_word_is_heard(tmp_path: Path) -> None:
    cues = WavInfoReader(str(file_of(tmp_path))).cues
    assert [label.text for label in cues.labels] == ["Hold", "the", "gate"]
    first = WORDS[0].start_s  # where the take's speech begins, which is 50 ms into the file
    expected = [48_000 * (word.start_s - first + 0.05) for word in WORDS]
    assert [cue.sample_offset for cue in cues.cues] == pytest.approx(expected, abs=48 * 5)
    assert [cue.name for cue in cues.cues] == [label.name for label in cues.labels] == [1, 2, 3]


def test_a_line_without_words_has_no_cues(tmp_path: Path) -> None:
    assert not WavInfoReader(str(file_of(tmp_path, words=()))).cues.cues


def _xml(path: Path) -> bytes:
    content = path.read_bytes()
    at = content.index(b"iXML")
    return content[at + 8 : at + 8 + int.from_bytes(content[at + 4 : at + 8], "little")]
