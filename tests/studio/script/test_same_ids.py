"""Lines of one id: marked in the sheet, and refused or numbered in a delivery."""

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


@pytest.fixture
def client(studio: Studio) -> Iterator[httpx.Client]:
    with served(web(studio)) as address, httpx.Client(base_url=address) as client:
        yield client


@pytest.fixture
def work(client: httpx.Client) -> Work:
    """Four selects, the first and the third of one id, the fourth without one."""
    work = Work(client, "one", "two", "three", "four")
    lines = work.render()["lines"]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"} for line in lines]})
    ids = zip(lines, ("A", "B", "a", ""), strict=True)
    work.edit({"cells": [{"line": line["key"], "column": 0, "value": id} for line, id in ids]})
    return work


def deliver(work: Work, **choices: Any) -> httpx.Response:
    return work.client.post(f"{ROOT}/{work.project}/deliver", json={"sheet": work.sheet_id, "choices": choices})


def sharing(sheet: dict[str, Any]) -> list[str]:
    """Return the keys of the lines with a note about a duplicate id."""
    return [key for key, notes in sheet["line_notes"].items() if any(note["kind"] == "same_id" for note in notes)]


def test_lines_that_share_an_id_have_a_note_after_every_change(work: Work) -> None:
    keys = [line["key"] for line in work.sheet()["lines"]]
    assert sharing(work.sheet()) == [keys[0], keys[2]]
    answer = work.edit({"cells": [{"line": keys[1], "column": 0, "value": "A"}]}).json()
    assert (len(answer["lines"]), sharing(answer)) == (1, keys[:3])
    assert sharing(work.edit({"delete": keys[:2]}).json()) == []


def test_a_delivery_asks_what_to_do_about_ids_that_lines_share(work: Work) -> None:
    refused = deliver(work)
    assert (refused.status_code, refused.json()["code"]) == (400, "same_ids")
    assert "1 id is used by several lines: A (2 lines)" in refused.json()["detail"]


def test_numbered_ids_stand_in_every_table_and_are_flagged(work: Work) -> None:
    done = ended(work.client, work, deliver(work, same_ids="suffix").json())
    assert done["state"] == "done", done
    archive = zipfile.ZipFile(io.BytesIO(work.client.get(done["result"]["file"]).content))
    files = json.loads(archive.read("manifest.json"))["files"]
    key = work.sheet()["lines"][3]["key"]
    ids = ["A", "B", "a_2", key]
    assert [file["id"] for file in files] == ids
    assert [file["file"] for file in files] == [f"Ahri/{id}_01.wav" for id in ids]
    assert [row.split(", ")[0] for row in archive.read("keys.txt").decode().splitlines()] == ids
    assert (
        files[2]["flags"][0] == "Several lines have the id a. In this delivery, the line has the id a_2. "
        "To choose another id, type a unique id in the sheet."
    )
    assert (
        files[3]["flags"][0] == f"The sheet has no id for this line. In this delivery, the line has the id {key}. "
        "To choose another id, type a unique id in the sheet."
    )
    (group,) = [each for each in done["result"]["report"]["findings"] if each["kind"] == "id"]
    assert (group["title"], group["files"], len(group["found"])) == ("Id or name changed", 2, 2)


def test_a_line_keeps_its_number_where_the_first_of_its_id_is_not_delivered(work: Work) -> None:
    first = work.sheet()["lines"][0]
    work.edit({"marks": [{"line": first["key"], "take": first["takes"][0]["id"], "mark": ""}]})
    done = ended(work.client, work, deliver(work, same_ids="suffix").json())
    archive = zipfile.ZipFile(io.BytesIO(work.client.get(done["result"]["file"]).content))
    assert [file["id"] for file in json.loads(archive.read("manifest.json"))["files"]][:2] == ["B", "a_2"]


def test_a_shell_refuses_shared_ids_and_numbers_them_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "act2.csv"
    sheet.write_text("id,character,text\nA,Ahri,one\nA,Ahri,two\n", "utf-8")
    with studio_of(tmp_path, Metronome()) as studio:
        assert run(studio, sheet, "--out", tmp_path / "refused", "--voice", "anna") == 1
        assert "1 id is used by several lines: A (2 lines)" in capsys.readouterr().err
        assert run(studio, sheet, "--out", tmp_path / "out", "--set", 'same_ids="suffix"') == 0
    assert sorted(path.name for path in (tmp_path / "out" / "Ahri").glob("*.wav")) == ["A_01.wav", "A_2_01.wav"]
