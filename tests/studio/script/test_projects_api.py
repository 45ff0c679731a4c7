"""Scripts over a real server."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile
from gradio_client.utils import is_file_obj, traverse

from engines.types import Audio
from studio.champions.library import Library
from studio.script.checks.expected_take import Checked
from studio.script.format.script import TakeCheck
from studio.script.render_choice import RenderChoice
from studio.script.rendering import PlannedTake
from studio.settings import Settings
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, evenly, served, studio_of, web
from tests.studio.script.conftest import cast_of, sheet_of
from tests.waiting import until

ROOT = "/studio/projects"


@pytest.fixture
def client(studio: Studio) -> Iterator[httpx.Client]:
    with served(web(studio)) as address, httpx.Client(base_url=address) as client:
        yield client


class Work:
    """A project over HTTP."""

    def __init__(self, client: httpx.Client, *texts: str) -> None:
        self.client = client
        self.project = client.post(ROOT, json={"name": "Act 2"}).json()["id"]
        self.patch({"cast": {"Ahri": {"": [{"voice": "anna"}]}}})
        pasted = client.post(f"{ROOT}/{self.project}/sheets/paste", json={"text": sheet_of(*texts), "name": "act2.tsv"})
        assert pasted.status_code == 201, pasted.text
        self.sheet_path = f"{ROOT}/{self.project}/sheets/{pasted.json()['id']}"

    @property
    def sheet_id(self) -> str:
        return self.sheet_path.rpartition("/")[2]

    def sheet(self, **query: Any) -> dict[str, Any]:
        return self.client.get(self.sheet_path, params=query).json()

    def patch(self, change: dict[str, Any]) -> httpx.Response:
        return self.client.patch(f"{ROOT}/{self.project}", json=change)

    def edit(self, change: dict[str, Any]) -> httpx.Response:
        return self.client.patch(self.sheet_path, json=change)

    def render(self, **choice: Any) -> dict[str, Any]:
        begun = self.client.post(f"{ROOT}/{self.project}/render", json={"sheet": self.sheet_id, **choice})
        assert begun.status_code == 200, begun.text
        until(lambda: self.client.get(f"{ROOT}/{self.project}/render").json()["state"] == "done")
        return self.sheet()


def test_a_sheet_is_pasted_rendered_and_heard(client: httpx.Client) -> None:
    work = Work(client, "one", "two")
    lines = work.render()["lines"]
    assert [line["status"] for line in lines] == ["made", "made"]
    take = lines[0]["takes"][0]
    sound = client.get(f"{ROOT}/{work.project}/takes/{take['id']}/audio.wav", headers={"range": "bytes=0-99"})
    assert (sound.status_code, len(sound.content)) == (206, 100)
    whole = client.get(f"{ROOT}/{work.project}/takes/{take['id']}/audio.wav").content
    samples, rate = soundfile.read(io.BytesIO(whole))
    assert len(samples) / rate == pytest.approx(take["duration_s"])


def test_a_take_of_several_voices_names_its_parts_which_are_played_and_downloaded_alone(
    client: httpx.Client, studio: Studio
) -> None:
    keep(Library(studio.settings.data_dir), engine=ENGINE)  # ahri
    work = Work(client, "[voice:ahri]one[/voice] two")
    (take,) = work.render()["lines"][0]["takes"]
    assert [(part["voice"], part["text"]) for part in take["segments"]] == [("ahri", "one"), ("", "two")]
    root = f"{ROOT}/{work.project}/takes/{take['id']}"
    first, second = (client.get(f"{root}/audio.wav?segment={place}&download=1") for place in (0, 1))
    samples, rate = soundfile.read(io.BytesIO(first.content))
    assert len(samples) / rate == pytest.approx(take["segments"][0]["end_s"])
    assert "ahri-tick" in first.headers["content-disposition"]
    assert "anna-tick" in second.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(client.get(f"{root}/segments.zip").content)) as parts:
        assert [name.split("-")[0] for name in parts.namelist()] == ["ahri", "anna"]
    assert client.get(f"{root}/audio.wav?segment=2").status_code == 404


def test_the_manifest_names_all_voices_of_a_take(client: httpx.Client, studio: Studio) -> None:
    keep(Library(studio.settings.data_dir), engine=ENGINE)  # ahri
    texts = ("[voice:Ahri]one[/voice] two [voice:ahri]three[/voice] [voice:nobody]four", "five")
    work = Work(client, *texts)
    lines = work.render()["lines"]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"} for line in lines]})
    with zipfile.ZipFile(io.BytesIO(delivered(client, work))) as files:
        listed = json.loads(files.read("manifest.json"))["files"]
        rows = list(csv.DictReader(io.StringIO(files.read("manifest.csv").decode("utf-8-sig"))))
    assert [(file["voice"], file["voices"]) for file in listed] == [("anna", ["Ahri", "anna"]), ("anna", ["anna"])]
    assert [(row["voice"], row["voices"]) for row in rows] == [("anna", "Ahri, anna"), ("anna", "anna")]


def test_a_voice_in_a_text_that_the_studio_does_not_have_has_a_note(client: httpx.Client) -> None:
    work = Work(client, "[voice:nobody]one[/voice] two", "[voice:Anna]one[/voice] two")
    notes = work.sheet()["line_notes"]
    assert [[note["label"] for note in each] for each in notes.values()] == [["unknown voice: nobody"]]


def test_a_page_is_told_only_the_lines_that_changed(client: httpx.Client) -> None:
    work = Work(client, "one", "two", "three")
    first = work.sheet()
    work.edit({"cells": [{"line": first["lines"][2]["key"], "column": 2, "value": "drei"}]})
    later = work.sheet(since=first["revision"], cast=first["cast"])
    assert [line["cells"][2] for line in later["lines"]] == ["drei"]


def test_lines_that_fail_are_told_to_a_page_that_asks_what_changed_and_so_is_that_they_fail_no_longer(
    client: httpx.Client,
) -> None:
    work = Work(client, "one", "no exclamations!", "no more!")
    first = work.sheet()

    def later() -> list[tuple[str, str]]:
        answer = work.sheet(since=first["revision"], cast=first["cast"])["lines"]
        return [(line["cells"][2], line["status"]) for line in answer]

    assert [line["status"] for line in work.render()["lines"]] == ["made", "failed", "failed"]
    assert later() == [("one", "made"), ("no exclamations!", "failed"), ("no more!", "failed")]
    first = work.sheet()
    work.render(lines=[first["lines"][1]["key"]])
    assert later() == [("no exclamations!", "failed"), ("no more!", "none")]


def test_an_import_tells_of_ids_that_lines_share_and_of_lengths_that_cannot_be_read(client: httpx.Client) -> None:
    project = client.post(ROOT, json={"name": "Act 2"}).json()["id"]
    rows = "id\ttext\tmax seconds\nA\tone\tsoon\nA\ttwo\t2.5\n\tthree\t\n\tfour\tlater\nB\tfive\t=2 s\n"
    pasted = client.post(f"{ROOT}/{project}/sheets/paste", json={"text": rows, "name": "a.tsv"}).json()
    ids, lengths = pasted["notes"]
    assert ids.startswith("2 lines with a duplicate id: A. ")
    assert lengths.startswith("2 lines with an unreadable length: soon, later. Write 2.5 ")
    assert client.get(f"{ROOT}/{project}/sheets/{pasted['id']}").json().get("notes") is None


def test_whoever_writes_over_what_they_have_not_seen_is_told_what_it_was(client: httpx.Client) -> None:
    work = Work(client, "one", "two")
    key = work.sheet()["lines"][0]["key"]

    def written(value: str, before: str | None = None) -> list[dict[str, Any]]:
        cell = {"line": key, "column": 2, "value": value} | ({} if before is None else {"before": before})
        answer: list[dict[str, Any]] = work.edit({"cells": [cell]}).json()["overwritten"]
        return answer

    assert written("uno", "one") == written("uno", "one") == []
    assert written("eins", "one") == [{"line": key, "column": 2, "value": "uno", "before": None}]
    assert written("un") == []
    assert work.sheet()["lines"][0]["cells"][2] == "un"


def test_another_cast_tells_every_line(client: httpx.Client) -> None:
    work = Work(client, "one", "two")
    first = work.sheet()
    work.patch({"cast": {}})
    assert len(work.sheet(since=first["revision"], cast=first["cast"])["lines"]) == 2


def test_deleted_lines_sheets_and_projects_come_back(client: httpx.Client) -> None:
    work = Work(client, "one", "two")
    key = work.sheet()["lines"][0]["key"]
    assert work.edit({"delete": [key]}).json()["count"] == 1
    assert work.edit({"restore": [key]}).json()["count"] == 2
    assert client.delete(work.sheet_path).json()["sheets"] == []
    assert len(client.post(f"{work.sheet_path}/restore").json()["sheets"]) == 1
    client.delete(f"{ROOT}/{work.project}")
    assert client.get(ROOT).json() == []
    assert client.get(f"{ROOT}/{work.project}").status_code == 404
    assert client.post(f"{ROOT}/{work.project}/restore").json()["name"] == "Act 2"
    assert work.sheet()["count"] == 2


def test_a_line_that_is_added_twice_is_one_line_and_a_deleted_one_is_back(client: httpx.Client) -> None:
    work = Work(client, "one")
    add = {"add": [{"key": "00ff00ff00ff", "cells": ["L1", "Ahri", "two"]}]}
    answer = [work.edit(add).json()["lines"], work.edit(add).json()["lines"]]
    assert [[line["key"] for line in lines] for lines in answer] == [["00ff00ff00ff"], []]
    work.edit({"delete": ["00ff00ff00ff"]})
    assert [line["deleted"] for line in work.edit(add).json()["lines"]] == [False]
    assert [line["cells"] for line in work.sheet()["lines"]] == [
        ["L0", "Ahri", "one", "red"],
        ["L1", "Ahri", "two", ""],
    ]


def test_lines_are_added_to_a_sheet_of_headings_alone_and_rendered(client: httpx.Client) -> None:
    work = Work(client)
    assert work.sheet()["lines"] == []
    work.edit({"add": [{"cells": ["A", "Ahri", "one"]}, {"cells": ["B", "Ahri"]}]})
    assert [line["status"] for line in work.render()["lines"]] == ["made", "empty"]


def test_a_sheet_leaves_with_its_edits_and_unknown_columns(client: httpx.Client) -> None:
    work = Work(client, "one")
    work.edit({"cells": [{"line": work.sheet()["lines"][0]["key"], "column": 2, "value": "uno"}]})
    file = client.get(f"{work.sheet_path}/file")
    assert file.content.decode().splitlines()[1].split("\t") == ["L0", "Ahri", "uno", "red"]
    assert "act2.tsv" in file.headers["content-disposition"]


def test_a_sheets_name_cannot_choose_another_name_for_its_download(client: httpx.Client) -> None:
    work = Work(client, "one")
    work.edit({"name": 'act"; filename="evil.exe'})
    file = client.get(f"{work.sheet_path}/file")
    assert file.headers["content-disposition"] == (
        "attachment; filename=\"act_; filename=_evil.tsv\"; filename*=UTF-8''act%22%3B%20filename%3D%22evil.tsv"
    )


def test_a_sheet_of_an_uncertain_encoding_is_refused_previewed_and_imported_in_the_chosen_one(
    client: httpx.Client,
) -> None:
    project = client.post(ROOT, json={"name": "Act 2"}).json()["id"]
    data = "id\ttext\nL1\tÉlodie\n".encode("mac_roman")
    refused = client.post(f"{ROOT}/{project}/sheets?name=act.tsv", content=data)
    assert (refused.status_code, refused.json()["code"]) == (400, "uncertain_encoding")
    choices = client.post(f"{ROOT}/encodings?name=act.tsv", content=data).json()
    chosen = next(each["name"] for each in choices if each["lines"] == ["L1 Élodie"])
    sheet = client.post(f"{ROOT}/{project}/sheets?name=act.tsv&encoding={chosen}", content=data)
    assert [line["cells"] for line in sheet.json()["lines"]] == [["L1", "Élodie"]]
    file = f"{ROOT}/{project}/sheets/{sheet.json()['id']}/file?name=act.tsv"
    assert client.put(file, content=data).json()["code"] == "uncertain_encoding"
    answer = client.put(f"{file}&preview=true&encoding=cp1252", content=data).json()
    assert [line["kind"] for line in answer["lines"]] == ["file"]
    assert client.put(f"{file}&encoding=cp1252", content=data).json()["lines"][0]["cells"] == ["L1", "ƒlodie"]


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"cells": [{"line": "nobody", "column": 2, "value": "x"}]}, 404, "no such line"),
        ({"cells": [{"line": "FIRST", "column": 9, "value": "x"}]}, 400, "no such column"),
        ({"cells": [{"line": "FIRST", "column": 2, "value": "x" * 10_001}]}, 400, "10,000 characters"),
        ({"marks": [{"line": "FIRST", "take": "none", "mark": "select"}]}, 404, "no such take"),
        ({"marks": [{"line": "FIRST", "take": "none", "mark": "best"}]}, 422, "select"),
        ({"add": [{"cells": ["x" * 10_001]}]}, 400, "10,000 characters"),
        ({"add": [{"cells": [], "key": "../project"}]}, 400, "12 hexadecimal digits"),
        ({"roles": {"text": 17}}, 400, "no such column"),
        ({"roles": {"colour": 1}}, 422, "roles"),
    ],
)
def test_a_wrong_edit_is_refused_in_words_and_changes_nothing(
    client: httpx.Client, change: dict[str, Any], status: int, said: str
) -> None:
    work = Work(client, "one")
    before = work.sheet()
    first = before["lines"][0]["key"]
    for part in (change.get("cells", []), change.get("marks", [])):
        for each in part:
            each["line"] = each["line"].replace("FIRST", first)
    good = {"line": first, "column": 2, "value": "uno"}
    refused = work.edit({**change, "cells": [good, *change.get("cells", [])]})
    assert (refused.status_code, work.sheet()) == (status, before)
    assert said in refused.text


@pytest.mark.parametrize("name", ["", " ", "x" * 121, "a\x00b"])
def test_a_name_that_cannot_be_read_is_refused(client: httpx.Client, name: str) -> None:
    assert client.post(ROOT, json={"name": name}).status_code == 400


def test_a_voice_that_is_not_there_is_refused_and_the_cast_stays(client: httpx.Client) -> None:
    work = Work(client, "one")
    refused = work.patch({"cast": {"Ahri": {"": [{"voice": "nobody"}]}}})
    assert refused.status_code == 404
    assert client.get(f"{ROOT}/{work.project}").json()["cast"]["Ahri"][""][0]["voice"] == "anna"


def test_scripts_are_the_owners_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", host="0.0.0.0", login="ann:a long password")
    with studio_of(tmp_path, Metronome(), settings=settings) as studio, served(web(studio)) as address:
        assert httpx.get(f"{address}/studio/projects").status_code == 401


def test_a_restart_finds_everything(tmp_path: Path) -> None:
    with (
        studio_of(tmp_path, Metronome()) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        work = Work(client, "one", "two")
        before = work.render()
    with studio_of(tmp_path, Metronome()) as studio:
        found = studio.scripts.views.sheet(work.project, work.sheet_id)
    assert json.loads(json.dumps(found["lines"])) == before["lines"]


def test_a_deleted_project_goes_after_its_time_and_its_takes_with_it(studio: Studio, client: httpx.Client) -> None:
    gone, kept = Work(client, "one"), Work(client, "two")
    for work in (gone, kept):
        work.render()
    client.delete(f"{ROOT}/{gone.project}")
    assert (studio.scripts.projects.purge(3600.0), studio.scripts.projects.purge(0.0)) == (0, 1)
    assert client.post(f"{ROOT}/{gone.project}/restore").status_code == 404
    assert [len(studio.history.list(f"script-{work.project}")) for work in (gone, kept)] == [0, 1]
    assert kept.sheet()["lines"][0]["status"] == "made"


def test_only_selects_are_delivered_and_the_same_project_gives_the_same_bytes(client: httpx.Client) -> None:
    work = Work(client, "one", "two", "three")
    nothing = client.post(f"{ROOT}/{work.project}/deliver", json={"sheet": work.sheet_id})
    assert (nothing.status_code, "no take is selected" in nothing.text) == (400, True)
    lines = work.render(takes=2)["lines"]
    marks = [{"line": line["key"], "take": line["takes"][1]["id"], "mark": "select"} for line in lines[:2]]
    work.edit({"marks": marks})
    first, again = (delivered(client, work) for _ in range(2))
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        sounds = sorted(name for name in archive.namelist() if name.endswith(".wav"))
    assert sounds == ["Ahri/L0_02.wav", "Ahri/L1_02.wav"]
    assert first == again


def test_a_check_that_failed_on_a_delivered_take_is_among_what_somebody_should_look_at(tmp_path: Path) -> None:
    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        lost = TakeCheck(name="words", outcome="fail", message="Missing or wrong: “one”")
        quiet = TakeCheck(name="loudness", outcome="doubt", message="It is quiet.")
        return Checked((lost, quiet), 0.0)

    with (
        studio_of(tmp_path, Metronome(), check_take=check_take) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        work = with_select(client)
        done = ended(client, work, client.post(f"{ROOT}/{work.project}/deliver", json={"sheet": work.sheet_id}).json())
        report = done["result"]["report"]
        (flagged,) = report["flagged"]
        manifest = json.loads(
            zipfile.ZipFile(io.BytesIO(client.get(done["result"]["file"]).content)).read("manifest.json")
        )
    assert flagged["flags"][0] == manifest["files"][0]["flags"][0] == "A check failed. Missing or wrong: “one”."
    assert not any("It is quiet" in flag for flag in flagged["flags"])
    fetched: list[Any] = []
    traverse(report, fetched.append, is_file_obj)
    assert fetched == []  # what `/render` answers with it is no file to Gradio's clients


def delivered(client: httpx.Client, work: Work, choices: dict[str, object] | None = None) -> bytes:
    order = {"sheet": work.sheet_id, "choices": choices or {}}
    done = ended(client, work, client.post(f"{ROOT}/{work.project}/deliver", json=order).json())
    assert done["state"] == "done", done
    return client.get(done["result"]["file"]).content


def ended(client: httpx.Client, work: Work, job: dict[str, Any]) -> dict[str, Any]:
    place = f"{ROOT}/{work.project}/deliveries/{job['id']}"
    until(lambda: client.get(place).json()["state"] != "running")
    answer: dict[str, Any] = client.get(place).json()
    return answer


@pytest.fixture
def shelved(tmp_path: Path, metronome: Metronome) -> Iterator[httpx.Client]:
    """A studio that knows a folder, which is not there yet, and a repository."""
    stores = (f"shelf=folder:{tmp_path / 'shelf'}", "hub=hf://studio/voices")
    settings = Settings(data_dir=tmp_path / "data", stores=stores)
    with (
        studio_of(tmp_path, metronome, settings=settings) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        yield client


LINES = ("[shouting] Get back, Kael'thas", "Wait (long pause) the Lich King", "Turn to (see page 3) now")


def texts_of(archive: bytes) -> str:
    """All that the text files of a delivery say."""
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        return "\n".join(held.read(name).decode("utf-8-sig") for name in held.namelist() if not name.endswith(".wav"))


@pytest.fixture
def respelled(tmp_path: Path) -> Iterator[Work]:
    """Three selected lines with directions and words of the lexicon."""
    with (
        studio_of(tmp_path, Metronome(), align=evenly) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        work = Work(client, *LINES)
        lexicon = [{"word": "Kael'thas", "spoken": "kale thass"}, {"word": "Lich King", "spoken": "litchking"}]
        assert client.put(f"{ROOT}/{work.project}/lexicon", json=lexicon).status_code == 200
        marks = [
            {"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"} for line in work.render()["lines"]
        ]
        assert work.edit({"marks": marks}).status_code == 200
        yield work


def test_a_delivery_has_the_written_words_without_stage_directions(respelled: Work) -> None:
    answer = texts_of(delivered(respelled.client, respelled))
    assert "shouting" not in answer and "pause" not in answer and "kale" not in answer and "litchking" not in answer
    assert "\nGet back, Kael'thas\n" in answer and "\nWait the Lich King\n" in answer
    assert "\nTurn to (see page 3) now\n" in answer
    assert '"word": "Kael\'thas"' in answer and '"word": "Lich King"' in answer


@pytest.mark.long
def test_a_delivery_keeps_stage_directions_if_it_is_asked_to(respelled: Work) -> None:
    answer = texts_of(delivered(respelled.client, respelled, {"directions": True}))
    assert "\n[shouting] Get back, Kael'thas\n" in answer and "\nWait (long pause) the Lich King\n" in answer
    assert "kale" not in answer and "litchking" not in answer


def test_a_line_tells_its_stage_directions_and_a_line_of_them_alone_is_not_made(client: httpx.Client) -> None:
    work = Work(client, "(laughs) one (beat) two", "[coughs]", "three")
    lines = work.render()["lines"]
    assert [line["directions"] for line in lines] == [["(laughs)", "(beat)"], ["[coughs]"], []]
    assert [line["status"] for line in lines] == ["made", "failed", "made"]
    assert "only stage directions: [coughs]; add words" in lines[1]["why"] and not lines[1]["takes"]


def test_stage_directions_are_words_if_the_setting_says_so(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", stage_directions=False)
    with (
        studio_of(tmp_path, metronome := Metronome(), settings=settings, align=evenly) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        work = Work(client, "[coughs] one")
        line = work.render()["lines"][0]
        assert line["directions"] == [] and line["takes"][0]["text"] == "coughs one"
        assert [request.text for request in metronome.requests.values()] == ["coughs one"]
        assert work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"}]})
        assert "\n[coughs] one\n" in texts_of(delivered(client, work))


def test_a_delivery_is_remembered_and_what_no_delivery_can_be_is_not(client: httpx.Client) -> None:
    work = Work(client, "one")
    choice = {"preset": "game-44", "choices": {"target_lufs": -20}, "to": "shelf"}
    assert work.patch({"delivery": choice}).json()["delivery"] == choice
    wrong = work.patch({"delivery": {"preset": "game", "choices": {"target_lufs": 9}}})
    assert (wrong.status_code, "the target loudness must be between" in wrong.text) == (400, True)
    assert client.get(f"{ROOT}/{work.project}").json()["delivery"] == choice


def with_select(client: httpx.Client) -> Work:
    work = Work(client, "one")
    line = work.render()["lines"][0]
    work.edit({"marks": [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"}]})
    return work


def test_a_delivery_to_a_store_is_the_zip_that_is_downloaded_under_a_name_that_tells_its_content(
    shelved: httpx.Client, tmp_path: Path
) -> None:
    (tmp_path / "shelf").mkdir()
    work = with_select(shelved)
    order = {"sheet": work.sheet_id, "to": "shelf"}
    first, again = (
        ended(shelved, work, shelved.post(f"{ROOT}/{work.project}/deliver", json=order).json()) for _ in range(2)
    )
    content = shelved.get(first["result"]["file"]).content
    name = f"act-2-act2-{hashlib.sha256(content).hexdigest()[:12]}.zip"
    assert first["result"]["where"] == again["result"]["where"] == str(tmp_path / "shelf" / "deliveries" / name)
    assert Path(first["result"]["where"]).read_bytes() == content == delivered(shelved, work)
    assert "is already up to date" in again["message"]
    assert shelved.get("/studio/stores/shelf").json() == []


def test_a_delivery_that_failed_on_its_way_goes_on_without_being_made_again(
    shelved: httpx.Client, tmp_path: Path
) -> None:
    work = with_select(shelved)
    order = {"sheet": work.sheet_id, "to": "shelf"}
    failed = ended(shelved, work, shelved.post(f"{ROOT}/{work.project}/deliver", json=order).json())
    assert (failed["state"], failed["resumable"], "mount or create the folder" in failed["error"]) == (
        "failed",
        True,
        True,
    )
    made = set((tmp_path / "data" / "deliveries").glob("*.zip"))
    (tmp_path / "shelf").mkdir()
    resumed = shelved.post(f"{ROOT}/{work.project}/deliveries/{failed['id']}/resume").json()
    assert ended(shelved, work, resumed)["state"] == "done"
    assert (len(made), set((tmp_path / "data" / "deliveries").glob("*.zip"))) == (1, made)


@pytest.mark.parametrize("store", ["hub", "nowhere"])
def test_a_store_that_takes_no_deliveries_says_so_before_anything_is_made(shelved: httpx.Client, store: str) -> None:
    work = with_select(shelved)
    refused = shelved.post(f"{ROOT}/{work.project}/deliver", json={"sheet": work.sheet_id, "to": store})
    assert (refused.status_code, "does not accept deliveries; choose shelf" in refused.json()["detail"]) == (404, True)
    taking = {answer["name"]: answer["deliveries"] for answer in shelved.get("/studio/stores").json()}
    assert taking == {"shelf": True, "hub": False}


def test_a_lexicon_is_heard_seen_and_carried_to_another_project(client: httpx.Client) -> None:
    work, other = Work(client, "Kaelthas waits"), Work(client, "one")
    work.render()
    words = [{"word": "Kaelthas", "spoken": "KAYL thass"}]
    assert client.put(f"{ROOT}/{work.project}/lexicon", json=words).json()["lexicon"][0]["spoken"] == "KAYL thass"
    assert work.sheet()["lines"][0]["why"] == "lexicon changed"
    assert work.render()["lines"][0]["takes"][-1]["text"] == "KAYL thass waits"
    answer = client.post(f"{ROOT}/{work.project}/spoken", json={"text": "To Kaelthas!"}).json()
    assert [part["respelled"] for part in answer["parts"]] == [False, True, False]
    file = client.get(f"{ROOT}/{work.project}/lexicon.pls").content
    carried = client.post(f"{ROOT}/{other.project}/lexicon.pls", content=file).json()
    assert carried["lexicon"] == client.get(f"{ROOT}/{work.project}").json()["lexicon"]


def test_the_preview_of_a_text_uses_the_lexicon_of_its_language(client: httpx.Client) -> None:
    work = Work(client, "one")
    words = [{"word": "Kael", "spoken": "Kehl", "language": "de_de"}, {"word": "Kael", "spoken": "KAYL"}]
    stored = client.put(f"{ROOT}/{work.project}/lexicon", json=words).json()["lexicon"]
    assert [entry["language"] for entry in stored] == ["de-DE", ""]
    answers = [
        client.post(f"{ROOT}/{work.project}/spoken", json={"text": "Kael!", **given}).json()
        for given in ({"language": "de"}, {"language": "auto"}, {"voice": "anna"}, {"voice": "nobody"})
    ]
    assert [(answer["text"], answer["language"]) for answer in answers] == [("Kehl!", "de"), *[("KAYL!", "en")] * 3]
    refused = client.post(f"{ROOT}/{work.project}/spoken", json={"text": "Kael!", "language": "de!"})
    assert (refused.status_code, "is not valid" in refused.json()["detail"]) == (400, True)


def test_a_project_names_the_languages_of_its_lines(client: httpx.Client) -> None:
    project = client.post(ROOT, json={"name": "Act 2"}).json()["id"]
    rows = "text\tlanguage\neins\tGerman\nzwei\tde\ndos\tes-MX\none\t\nmin\tElvish\n"
    client.post(f"{ROOT}/{project}/sheets/paste", json={"text": rows, "name": "a.tsv"})
    assert client.get(f"{ROOT}/{project}").json()["languages"] == ["de", "es-MX"]


def test_a_file_given_again_keeps_the_takes_of_lines_that_stayed(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "act2.csv"
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    file.write_text("id,text\nA,one\nB,two\nC,three\n", "utf-8")
    sheet = studio.scripts.files.put(project, file, file.name)["id"]
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    file.write_text("id,notes,text\nC,,three\nA,soft,uno\nD,,four\n", "utf-8")
    again = studio.scripts.files.put(project, file, file.name)
    present = [(line["cells"][0], line["status"]) for line in again["lines"] if not line["deleted"]]
    assert (again["id"], present) == (sheet, [("C", "made"), ("A", "stale"), ("D", "none")])


def test_a_changed_file_is_counted_first_and_then_matched_by_ids_with_the_columns_that_were_chosen(
    client: httpx.Client,
) -> None:
    work = Work(client, "one", "two", "three", "four")
    first = work.sheet()
    work.edit({"delete": [first["lines"][3]["key"]], "roles": {"id": 3, "notes": 0}})
    work.edit({"roles": {"id": 0, "notes": None, "emotion": 3}})
    file = "id\tcharacter\ttext\tcolour\nL2\tAhri\tdrei\tred\nL0\tAhri\tone\tred\nL3\tAhri\tfour\tred\n"
    query = {"name": "act2.tsv", "preview": True}
    before = work.sheet()
    answer = client.put(f"{work.sheet_path}/file", params=query, content=file.encode()).json()
    assert [(line["id"], line["kind"]) for line in answer["lines"]] == [
        ("L2", "file"),
        ("L3", "studio"),
        ("L1", "removed"),
    ]
    assert work.sheet() == before
    updated = client.put(f"{work.sheet_path}/file", params={"name": "act2.tsv"}, content=file.encode()).json()
    present = [(line["key"], line["cells"][2]) for line in updated["lines"] if not line["deleted"]]
    keys = [line["key"] for line in first["lines"]]
    assert present == [(keys[2], "drei"), (keys[0], "one"), (keys[3], "four")]
    assert (updated["roles"]["emotion"], updated["notes"]) == (3, [])


def test_a_line_that_stands_goes_before_a_deleted_one_of_its_id(client: httpx.Client) -> None:
    work = Work(client, "one")
    work.edit({"delete": [work.sheet()["lines"][0]["key"]], "add": [{"cells": ["L0", "Ahri", "one anew", "red"]}]})
    key = work.sheet()["lines"][1]["key"]
    file = b"id\tcharacter\ttext\tcolour\nL0\tAhri\tone again\tred\n"
    updated = client.put(f"{work.sheet_path}/file", params={"name": "act2.tsv"}, content=file).json()
    assert [line["key"] for line in updated["lines"] if not line["deleted"]] == [key]


def test_a_character_named_as_a_voice_is_spoken_by_it(studio: Studio) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.files.paste(project, sheet_of("one", character="Anna"), "act2.tsv")
    studio.scripts.files.paste(project, sheet_of("two", character="Ben"), "act3.tsv")
    assert {who: by[""][0].voice for who, by in studio.scripts.projects.cast(project).items()} == {"Anna": "anna"}


def test_lines_that_share_an_id_are_all_kept(studio: Studio, tmp_path: Path) -> None:
    file = tmp_path / "act2.csv"
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    file.write_text("id,text\nA,one\nA,two\n", "utf-8")
    sheet = studio.scripts.files.put(project, file, file.name)["id"]
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    file.write_text("id,text\nA,one\nA,two\nA,three\n", "utf-8")
    again = studio.scripts.files.put(project, file, file.name)
    assert [line["status"] for line in again["lines"]] == ["made", "made", "none"]
