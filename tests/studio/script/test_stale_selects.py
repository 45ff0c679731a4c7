"""Stale selects over HTTP and from a shell: refused, replaced, delivered as what they are, or left out."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web
from tests.studio.script.test_commands import run
from tests.studio.script.test_projects_api import ROOT, Work, ended

FIRST, SECOND, THIRD = "one", "Kaelthas waits", "three"
REWRITTEN = "one anew"


@pytest.fixture
def client(studio: Studio) -> Iterator[httpx.Client]:
    with served(web(studio)) as address, httpx.Client(base_url=address) as client:
        yield client


@pytest.fixture
def work(client: httpx.Client) -> Work:
    """Three selects; the text of the first, the lexicon for the second, and nothing of the third changed after that."""
    work = Work(client, FIRST, SECOND, THIRD)
    lines = work.render()["lines"]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"} for line in lines]})
    work.edit({"cells": [{"line": lines[0]["key"], "column": 2, "value": REWRITTEN}]})
    client.put(f"{ROOT}/{work.project}/lexicon", json=[{"word": "Kaelthas", "spoken": "KAYL thass"}])
    return work


def deliver(work: Work, **rule: Any) -> httpx.Response:
    return work.client.post(f"{ROOT}/{work.project}/deliver", json={"sheet": work.sheet_id, **rule})


def unpacked(work: Work, **rule: Any) -> zipfile.ZipFile:
    begun = deliver(work, **rule)
    assert begun.status_code == 200, begun.text
    done = ended(work.client, work, begun.json())
    assert done["state"] == "done", done
    return zipfile.ZipFile(io.BytesIO(work.client.get(done["result"]["file"]).content))


def manifest(archive: zipfile.ZipFile) -> dict[str, dict[str, Any]]:
    return {file["id"]: file for file in json.loads(archive.read("manifest.json"))["files"]}


def test_stale_selects_are_refused_with_their_number_and_what_can_be_done(work: Work) -> None:
    refused = deliver(work)
    assert (refused.status_code, refused.json()["code"]) == (409, "stale_selects")
    assert refused.json()["detail"] == (
        "2 selected takes are stale (L0, L1); render again and use the new takes, deliver anyway, or leave these lines out"
    )


def test_a_stale_take_that_is_delivered_stands_with_its_own_words_and_a_flag(work: Work) -> None:
    archive = unpacked(work, stale="deliver")
    answer = manifest(archive)
    assert [answer[id]["text"] for id in ("L0", "L1", "L2")] == [FIRST, SECOND, THIRD]
    assert [answer[id]["changed"] for id in ("L0", "L1", "L2")] == ["text changed", "lexicon changed", ""]
    assert [answer[id]["sheet_text"] for id in ("L0", "L1", "L2")] == [REWRITTEN, "", ""]
    assert (
        answer["L0"]["flags"][0]
        == f"The take is stale: text changed. The sheet now says “{REWRITTEN}”. Render the line again."
    )
    for table in ("wwise.tsv", "unreal-strings.csv", "unreal-dialogue.csv", "unity-strings.csv", "Ahri/L0_01.srt"):
        text = archive.read(table).decode()
        assert FIRST in text and REWRITTEN not in text


@pytest.mark.long
def test_the_manifest_has_the_note_on_a_take(work: Work) -> None:
    line = work.sheet()["lines"][2]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "comment": "Start softer."}]})
    notes = [file["take_note"] for file in manifest(unpacked(work, stale="deliver")).values()]
    assert notes == ["", "", "Start softer."]


def test_stale_lines_can_be_left_out(work: Work) -> None:
    assert list(manifest(unpacked(work, stale="leave_out"))) == ["L2"]


def test_stale_selects_are_rendered_and_selected_anew(work: Work, metronome: Metronome) -> None:
    before = len(metronome.requests)
    answer = manifest(unpacked(work, stale="render"))
    assert len(metronome.requests) - before == 2
    assert [(file["text"], file["take"], file["changed"]) for file in answer.values()] == [
        (REWRITTEN, 2, ""),
        (SECOND, 2, ""),
        (THIRD, 1, ""),
    ]
    assert [line["status"] for line in work.sheet()["lines"]] == ["select"] * 3


def test_a_select_that_stays_stale_after_the_render_is_refused_then(work: Work) -> None:
    line = work.sheet()["lines"][0]
    work.edit({"cells": [{"line": line["key"], "column": 2, "value": "no exclamations!"}]})
    done = ended(work.client, work, deliver(work, stale="render").json())
    assert done["state"] == "failed"
    assert done["error"].startswith("1 selected take is still stale after the render (L0: text changed)")


def test_a_stale_select_whose_new_take_is_there_says_so_and_is_not_due(work: Work) -> None:
    first = work.sheet()["lines"][0]
    assert (first["status"], first["due"]) == ("stale", True)
    lines = work.render(lines=[first["key"]])["lines"]
    assert [(line["status"], line["due"]) for line in lines] == [("ready", False), ("stale", True), ("select", False)]
    assert lines[0]["why"] == "text changed"
    assert [(take["stale"], take["proposed"]) for take in lines[0]["takes"]] == [(True, False), (False, True)]


def test_a_render_of_all_that_is_due_makes_what_is_counted_and_nothing_else(work: Work) -> None:
    work.edit({"add": [{"cells": ["N", "Nobody", "uncast"]}, {"cells": ["E", "Ahri", ""]}]})
    due = [line["key"] for line in work.sheet()["lines"] if line["due"]]
    before = {line["key"]: len(line["takes"]) for line in work.sheet()["lines"]}
    after = {line["key"]: len(line["takes"]) for line in work.render()["lines"]}
    assert due == [key for key in after if after[key] > before[key]] and len(due) == 2
    assert not any(line["due"] for line in work.sheet()["lines"])


def test_a_new_take_marked_for_a_retake_does_not_replace_a_stale_select(work: Work) -> None:
    first = work.sheet()["lines"][0]
    new = work.render(lines=[first["key"]])["lines"][0]["takes"][1]
    work.edit({"marks": [{"line": first["key"], "take": new["id"], "mark": "retake"}]})
    line = work.sheet()["lines"][0]
    assert (line["status"], line["due"]) == ("stale", True)
    assert len(work.render()["lines"][0]["takes"]) == 3


def test_what_a_delivery_would_take_is_told_before_it_begins(work: Work) -> None:
    first = work.sheet()["lines"][0]
    work.render(lines=[first["key"]])
    answer = work.client.post(f"{ROOT}/{work.project}/deliver/preview", json={"sheet": work.sheet_id}).json()
    assert [(each["id"], each["why"], each["ready"]) for each in answer["stale"]] == [
        ("L0", "text changed", True),
        ("L1", "lexicon changed", False),
    ]
    assert (answer["selects"], answer["unselected"], answer["same_ids"], answer["error"]) == (3, 0, [], "")
    assert answer["names"] == ["Ahri/L0_01.wav", "Ahri/L1_01.wav", "Ahri/L2_01.wav"]


def test_the_names_of_a_preview_follow_the_rule_for_stale_selects(work: Work) -> None:
    work.render(lines=[work.sheet()["lines"][0]["key"]])

    def names(rule: str) -> tuple[list[str], list[str]]:
        order = {"sheet": work.sheet_id, "stale": rule}
        answer = work.client.post(f"{ROOT}/{work.project}/deliver/preview", json=order).json()
        return answer["names"], answer["open_names"]

    assert names("leave_out") == (["Ahri/L2_01.wav"], [])
    assert names("deliver") == (["Ahri/L0_01.wav", "Ahri/L1_01.wav", "Ahri/L2_01.wav"], [])
    assert names("render") == (["Ahri/L0_02.wav", "Ahri/L1_01.wav", "Ahri/L2_01.wav"], ["Ahri/L1_01.wav"])


def test_a_preview_counts_the_lines_without_a_select(work: Work) -> None:
    line = work.sheet()["lines"][2]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": ""}]})
    answer = work.client.post(f"{ROOT}/{work.project}/deliver/preview", json={"sheet": work.sheet_id}).json()
    assert (answer["selects"], answer["unselected"]) == (2, 1)


def test_a_stale_select_that_cannot_be_made_anew_is_refused_in_a_shell_until_a_rule_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "act2.csv"
    sheet.write_text("id,character,text\nA1,Ahri,one\nA2,Ahri,two\n", "utf-8")
    with studio_of(tmp_path, Metronome()) as studio:
        assert run(studio, sheet, "--out", tmp_path / "first", "--voice", "anna") == 0
        sheet.write_text("id,character,text\nA1,Ahri,one!\nA2,Ahri,zwei\n", "utf-8")
        capsys.readouterr()
        assert run(studio, sheet, "--out", tmp_path / "refused") == 1
        said = capsys.readouterr().err
        assert "1 selected take is stale (A1). Deliver the old takes with --stale deliver" in said
        assert "or leave out their lines with --stale leave-out." in said
        assert not (tmp_path / "refused").exists()
        run(studio, sheet, "--out", tmp_path / "kept", "--stale", "deliver")
        run(studio, sheet, "--out", tmp_path / "left", "--stale", "leave-out")
    assert "A1_01.wav: The take is stale: text changed. The sheet now says “one!”" in capsys.readouterr().err
    assert [(row["id"], row["text"]) for row in rows(tmp_path / "kept")] == [("A1", "one"), ("A2", "zwei")]
    assert [(row["id"], row["text"]) for row in rows(tmp_path / "left")] == [("A2", "zwei")]


def rows(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((folder / "manifest.csv").read_text("utf-8-sig"), newline="")))


def test_a_select_is_delivered_with_a_flag_if_another_take_of_its_line_was_put_on_hold_later(
    client: httpx.Client,
) -> None:
    work = Work(client, FIRST)
    (line,) = work.render(takes=2)["lines"]
    first, second = line["takes"]
    for take, mark in ((first, "select"), (second, "hold")):
        work.edit({"marks": [{"line": line["key"], "take": take["id"], "mark": mark}]})
    assert work.sheet()["lines"][0]["status"] == "hold"
    (file,) = manifest(unpacked(work)).values()
    assert file["take"] == 1
    assert (
        file["flags"][0]
        == "The line is marked “hold”, but its selected take was delivered. Check whether this is intended."
    )
