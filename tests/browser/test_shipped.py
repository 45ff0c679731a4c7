"""A whole delivery of the real studio, held against its script by a reader that knows nothing of the studio's code."""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.browser.serving import Served
from tests.shipped import Shipped, problems
from tests.waiting import until

ROOT = "/studio/projects"
CAST = {"": {"": [{"voice": "amber", "engine": "f5", "settings": {"steps": 2}}]}}
LEXICON = [
    {"word": "Kael", "spoken": "Kale"},
    {"word": "Dr Vex", "spoken": "Doctorvex"},
    {"word": "HQ", "spoken": "aitch queue"},
]
RESPELLED = ("Kale", "Doctorvex", "aitch queue")
DIRECTIONS = ("[shouting]", "(laughs)", "(sighs)")

# id, text, and what the audio says if it is not the text
ROWS = [
    ("P_1", "Hold the gate, now.", ""),
    ("S_1", "These are the old words.", ""),
    ("D", "One of two lines.", ""),
    ("D", "Two of two lines.", ""),
    ("M_1", "Run for the bridge, all of you.", ""),
    ("E_1", "Wait for me at the river.", ""),
]
RESPELLED_AND_DIRECTED = [
    ("R_1", "Kael waits here.", ""),
    ("R_2", "Ask Dr Vex, quickly.", ""),
    ("R_3", "HQ calls; answer it!", ""),
    ("T_1", "[shouting] Behind you!", "Behind you!"),
    ("T_2", "Well (laughs) that is it.", "Well that is it."),
    ("T_3", "(sighs) Not again.", "Not again."),
]
REWRITTEN = "These are the new words."


class Sheet:
    """A sheet of the real studio, over HTTP."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.project = f"{ROOT}/{client.post(ROOT, json={'name': 'Shipped'}).json()['id']}"
        client.patch(self.project, json={"cast": CAST}).raise_for_status()
        client.put(f"{self.project}/lexicon", json=LEXICON).raise_for_status()
        self.rows = [*ROWS, *RESPELLED_AND_DIRECTED]
        self.add(self.rows)

    def add(self, rows: list[tuple[str, str, str]]) -> None:
        table = "\n".join(["id\tcharacter\ttext\tmax seconds", *(f"{id}\tAhri\t{text}\t" for id, text, _ in rows)])
        pasted = self.client.post(f"{self.project}/sheets/paste", json={"text": table, "name": "shipped.tsv"})
        self.path = f"{self.project}/sheets/{pasted.raise_for_status().json()['id']}"

    def sheet(self) -> dict[str, Any]:
        sheet: dict[str, Any] = self.client.get(self.path).raise_for_status().json()
        return sheet

    def edit(self, change: dict[str, Any]) -> None:
        self.client.patch(self.path, json=change).raise_for_status()

    def render(self) -> list[dict[str, Any]]:
        sheet = self.path.rpartition("/")[2]
        self.client.post(f"{self.project}/render", json={"sheet": sheet}).raise_for_status()
        until(lambda: self.client.get(f"{self.project}/render").json()["state"] == "done", patience_s=240.0)
        lines: list[dict[str, Any]] = self.sheet()["lines"]
        return lines

    def select(self) -> list[int]:
        """Select the newest take of each line. Return the numbers of these takes."""
        lines = self.sheet()["lines"]
        self.edit({"marks": [{"line": one["key"], "take": one["takes"][-1]["id"], "mark": "select"} for one in lines]})
        return [len(one["takes"]) for one in lines]

    def write(self, id: str, column: int, value: str) -> None:
        line = next(line for line in self.sheet()["lines"] if line["cells"][0] == id)
        self.edit({"cells": [{"line": line["key"], "column": column, "value": value}]})

    def deliver(self) -> bytes:
        order = {"sheet": self.path.rpartition("/")[2], "stale": "deliver", "choices": {"same_ids": "suffix"}}
        job = self.client.post(f"{self.project}/deliver", json=order).raise_for_status().json()
        place = f"{self.project}/deliveries/{job['id']}"
        until(lambda: self.client.get(place).json()["state"] != "running", patience_s=240.0)
        return self.client.get(self.client.get(place).json()["result"]["file"]).raise_for_status().content


@pytest.fixture(scope="module")
def shipped(speech_studio: Served) -> Iterator[tuple[bytes, list[Shipped]]]:
    """A delivery with stale selects, respellings, directions, duplicate ids and lengths; what should be in it."""
    with httpx.Client(base_url=speech_studio.url, timeout=60.0) as client:
        sheet = Sheet(client)
        natural_s = {line["cells"][0]: line["takes"][0]["length_s"] for line in sheet.render()}
        at_most_s, exactly_s = round(0.92 * natural_s["M_1"], 2), round(1.1 * natural_s["E_1"], 2)
        sheet.write("M_1", 3, f"{at_most_s}")
        sheet.write("E_1", 3, f"={exactly_s}")
        sheet.render()
        numbers = sheet.select()
        sheet.write("S_1", 2, REWRITTEN)
        content = sheet.deliver()
        client.delete(sheet.project)
    facts: dict[str, dict[str, Any]] = {
        "S_1": {"sheet_text": REWRITTEN},
        "M_1": {"at_most_s": at_most_s},
        "E_1": {"exactly_s": exactly_s},
    }
    ids = [
        id if id != "D" or not any(before[0] == "D" for before in sheet.rows[:at]) else "D_2"
        for at, (id, *_) in enumerate(sheet.rows)
    ]
    yield (
        content,
        [
            Shipped(id, said or text, take=take, **facts.get(id, {}))
            for id, (_, text, said), take in zip(ids, sheet.rows, numbers, strict=True)
        ],
    )


def test_every_table_subtitle_and_file_says_what_the_audio_says(shipped: tuple[bytes, list[Shipped]]) -> None:
    content, lines = shipped
    assert problems(content, lines, (*RESPELLED, *DIRECTIONS)) == []


Tamper = Callable[[dict[str, bytes]], None]


def replaced(name: str, before: str, after: str) -> Tamper:
    def tamper(files: dict[str, bytes]) -> None:
        assert before.encode() in files[name]
        files[name] = files[name].replace(before.encode(), after.encode())

    return tamper


def shortened(files: dict[str, bytes]) -> None:
    files["Ahri/P_1_01.wav"] = files["Ahri/S_1_01.wav"]


TAMPERED = [
    (replaced("wwise.tsv", "These are the old words.", REWRITTEN), "texts of wwise.tsv"),
    (replaced("keys.txt", "D_2, ", "Ahri/D_2_01, "), "keys of keys.txt"),
    (replaced("unreal-strings.csv", '"P_1"', '"Ahri/P_1_01"'), "keys of unreal-strings.csv"),
    (replaced("unreal-dialogue.csv", "Hold the gate", "Kale the gate"), "unreal-dialogue.csv has 'Kale'"),
    (replaced("unity-strings.csv", "These are the old words.", REWRITTEN), "texts of unity-strings.csv"),
    (replaced("Ahri/S_1_01.srt", "old", "new"), "words of Ahri/S_1_01.srt"),
    (replaced("manifest.json", "is stale: text changed", "is fine: text changed"), "S_1 is flagged as stale"),
    (shortened, "digest of P_1"),
]


@pytest.mark.parametrize(("tamper", "found"), TAMPERED)
def test_a_delivery_that_says_something_else_is_found(
    shipped: tuple[bytes, list[Shipped]], tamper: Tamper, found: str
) -> None:
    content, lines = shipped
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    tamper(files)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    assert any(found in problem for problem in problems(changed.getvalue(), lines, RESPELLED))
    assert json.loads(files["manifest.json"])["files"]
