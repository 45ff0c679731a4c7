"""A sheet and its changed file: what differs, whose edits stay, and the way back."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from studio.script.projects import SHEET
from studio.script.sheet_differences import SheetComparison
from studio.script.tables import read_pasted
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web

ROOT = "/studio/projects"

HEAD = "id\tcharacter\ttext\tmood\n"
FIRST = ("A\tAhri\tOne.\t", "B\tBo\tTwo.\t", "C\tAhri\tThree.\t", "D\tBo\tFour.\t")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """One studio for all tests; each has its own project."""
    with (
        studio_of(tmp_path_factory.mktemp("studio"), Metronome()) as studio,
        served(web(studio)) as address,
        httpx.Client(base_url=address) as client,
    ):
        yield client


class Act:
    """A project with one sheet, as its page sees it."""

    def __init__(self, client: httpx.Client, rows: Sequence[str] = FIRST, head: str = HEAD) -> None:
        self.client, self.head = client, head
        self.project = client.post(ROOT, json={"name": "Act"}).json()["id"]
        body = {"text": head + "\n".join(rows), "name": "act.tsv"}
        self.path = f"{ROOT}/{self.project}/sheets/" + self.post(f"{ROOT}/{self.project}/sheets/paste", body)["id"]

    def post(self, path: str, body: Any) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def lines(self, *, deleted: bool = False) -> list[dict[str, Any]]:
        return [line for line in self.client.get(self.path).json()["lines"] if line["deleted"] == deleted]

    def key(self, id: str) -> str:
        return next(str(line["key"]) for line in self.lines() if line["cells"][0] == id)

    def write(self, id: str, column: int, value: str) -> None:
        self.edit(cells=[{"line": self.key(id), "column": column, "value": value}])

    def edit(self, **change: Any) -> None:
        assert self.client.patch(self.path, json=change).is_success

    def compare(self, *rows: str, head: str = "") -> Any:
        content = ((head or self.head) + "\n".join(rows)).encode()
        return self.client.put(f"{self.path}/file?name=act.tsv&preview=true", content=content).json()

    def update(self, *rows: str, head: str = "", **choice: Any) -> Any:
        content = ((head or self.head) + "\n".join(rows)).encode()
        data = {"choice": json.dumps(choice)}
        answer = self.client.post(f"{self.path}/update", files={"file": ("act_v2.tsv", content)}, data=data)
        return answer.json() | {"status": answer.status_code}

    def undo(self, update: int) -> Any:
        return self.post(f"{self.path}/updates/{update}/undo", {})

    def texts(self) -> list[str]:
        return [line["cells"][2] for line in self.lines()]


def kinds(comparison: Any) -> dict[str, str]:
    """Kinds of changes by id in the file, or in the studio where the file lacks the line."""
    return {line["id"]: line["kind"] for line in comparison["lines"]}


def test_a_line_is_changed_in_the_file_in_the_studio_or_in_both(client: httpx.Client) -> None:
    act = Act(client)
    act.write("B", 2, "Two, mine.")
    act.write("C", 2, "Three, mine.")
    shown = act.compare("A\tAhri\tOne, theirs.\t", "B\tBo\tTwo, theirs.\t", FIRST[2], FIRST[3])
    assert kinds(shown) == {"A": "file", "B": "both", "C": "studio"}
    both = next(line for line in shown["lines"] if line["id"] == "B")["cells"]
    assert [(cell["title"], cell["before"], cell["studio"], cell["file"]) for cell in both] == [
        ("text", "Two.", "Two, mine.", "Two, theirs.")
    ]
    assert shown["unchanged"] == 1


def test_edits_of_different_cells_of_a_line_are_marked_and_merged_when_kept(client: httpx.Client) -> None:
    act = Act(client)
    act.write("A", 3, "calm")
    rows = ("A\tAhri\tOne, theirs.\t", *FIRST[1:])
    (line,) = act.compare(*rows)["lines"]
    assert (line["kind"], line["kept"]) == ("both", True)
    act.update(*rows, keep=[line["key"]])
    assert act.lines()[0]["cells"] == ["A", "Ahri", "One, theirs.", "calm"]


def test_the_file_wins_where_edits_are_not_kept(client: httpx.Client) -> None:
    act = Act(client)
    act.write("A", 2, "One, mine.")
    act.write("B", 2, "Two, mine.")
    rows = ("A\tAhri\tOne, theirs.\t", *FIRST[1:])
    act.update(*rows, keep=[act.key("B")])
    assert act.texts() == ["One, theirs.", "Two, mine.", "Three.", "Four."]
    assert act.lines()[0]["events"][-1]["what"] == "the updated file changed “One, mine.” to “One, theirs.”"


def test_a_kept_edit_is_still_an_edit_at_the_next_update(client: httpx.Client) -> None:
    act = Act(client)
    act.write("A", 2, "One, mine.")
    act.update(*FIRST, keep="all")
    assert kinds(act.compare(*FIRST)) == {"A": "studio"}
    assert kinds(act.compare("A\tAhri\tOne, theirs.\t", *FIRST[1:])) == {"A": "both"}


def test_added_and_removed_lines_are_told_apart_from_lines_that_the_studio_added_or_deleted(
    client: httpx.Client,
) -> None:
    act = Act(client)
    act.edit(add=[{"cells": ["X", "Bo", "Mine."]}], delete=[act.key("A")])
    shown = act.compare(FIRST[0], FIRST[1], FIRST[2], "N\tBo\tNew.\t")
    assert kinds(shown) == {"A": "studio", "N": "added", "D": "removed", "X": "studio"}
    assert [line["id"] for line in shown["lines"] if line["kept"]] == ["A", "X"]
    act.update(
        FIRST[0], FIRST[1], FIRST[2], "N\tBo\tNew.\t", keep=[line["key"] for line in shown["lines"] if line["kept"]]
    )
    assert act.texts() == ["Two.", "Three.", "Mine.", "New."]


def test_a_line_that_was_edited_here_and_removed_there_is_changed_by_both(client: httpx.Client) -> None:
    act = Act(client)
    act.write("B", 2, "Two, mine.")
    shown = act.compare(FIRST[0], *FIRST[2:])
    assert [(line["id"], line["kind"], line["in_file"], line["kept"]) for line in shown["lines"]] == [
        ("B", "both", False, False)
    ]
    act.update(FIRST[0], *FIRST[2:], keep=[act.key("B")])
    assert act.texts() == ["One.", "Two, mine.", "Three.", "Four."]


def test_a_line_that_was_deleted_here_and_changed_there_comes_back_unless_it_is_kept(client: httpx.Client) -> None:
    act = Act(client)
    key = act.key("A")
    act.edit(delete=[key])
    rows = ("A\tAhri\tOne, theirs.\t", *FIRST[1:])
    (line,) = act.compare(*rows)["lines"]
    assert (line["kind"], line["deleted"], line["kept"]) == ("both", True, False)
    act.update(*rows, keep=[key])
    assert act.texts() == ["Two.", "Three.", "Four."]
    act.update(*rows, keep="none")
    assert act.texts() == ["One, theirs.", "Two.", "Three.", "Four."]


@pytest.mark.parametrize(
    ("rows", "moved"),
    [
        ((FIRST[3], *FIRST[:3]), ["D"]),
        ((FIRST[1], FIRST[0], *FIRST[2:]), ["A"]),
        (FIRST[::-1], ["C", "B", "A"]),
        ((FIRST[0], "N\tBo\tNew.\t", *FIRST[1:]), []),
    ],
)
def test_as_few_lines_as_possible_count_as_moved(client: httpx.Client, rows: Sequence[str], moved: list[str]) -> None:
    act = Act(client)
    shown = act.compare(*rows)
    assert len([line for line in shown["lines"] if line["moved"]]) == len(moved)
    act.update(*rows)
    assert [line["cells"][0] for line in act.lines()] == [row.partition("\t")[0] for row in rows]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (("A_new\tAhri\tOne.\t", *FIRST[1:]), ["A_new"]),  # another id
        (("A_new\tAhri\tOne more.\t", *FIRST[1:]), ["A_new"]),  # another id, and a text much the same
        ((*FIRST[1:], "A_new\tAhri\tOne.\t"), ["A_new"]),  # another id at another place
    ],
)
def test_a_line_whose_id_changed_is_the_same_line(client: httpx.Client, rows: Sequence[str], names: list[str]) -> None:
    act = Act(client)
    key = act.key("A")
    shown = act.compare(*rows)
    assert [line["key"] for line in shown["lines"] if line["id"] in names] == [key]
    act.update(*rows)
    assert act.key("A_new") == key


def test_a_line_whose_id_was_changed_in_the_studio_is_found_by_the_id_of_its_file(client: httpx.Client) -> None:
    act = Act(client)
    key = act.key("A")
    act.write("A", 0, "A_mine")
    (line,) = act.compare("A\tAhri\tAltogether different.\t", *FIRST[1:])["lines"]
    assert (line["key"], line["kind"]) == (key, "both")


def test_lines_that_share_an_id_are_matched_by_their_content_first(client: httpx.Client) -> None:
    rows = ("A\tAhri\tOne.\t", "A\tAhri\tTwo.\t", "A\tAhri\tThree.\t")
    act = Act(client, rows)
    shown = act.compare(rows[1], "A\tAhri\tThree, theirs.\t")
    removed, changed = [line for line in shown["lines"] if line["kind"] != "moved"][::-1]
    assert (removed["kind"], changed["kind"], changed["shares_id"]) == ("removed", "file", True)
    assert [line["cells"][2] for line in act.lines() if line["key"] not in (removed["key"], changed["key"])] == ["Two."]


def test_a_sheet_without_ids_is_matched_by_content_and_place(client: httpx.Client) -> None:
    act = Act(client, ("Ahri\tHold the gate.", "Bo\tBehind you!", "Ahri\tRun."), head="character\ttext\n")
    keys = [line["key"] for line in act.lines()]
    act.update("Ahri\tHold the gate.", "Bo\tBehind you, Ahri!", "Ahri\tRun.")
    assert [line["key"] for line in act.lines()] == keys


def test_columns_may_move_come_and_go_and_what_they_mean_stays(client: httpx.Client) -> None:
    act = Act(client)
    act.edit(roles={"emotion": None, "notes": 3})
    act.write("A", 2, "One, mine.")
    rows = [f"{text}\tx\t{id}\t{who}" for id, who, text, _ in (row.split("\t") for row in FIRST)]
    shown = act.compare(*rows, head="text\tscene\tid\tcharacter\n")
    assert (shown["new_columns"], shown["lost_columns"], kinds(shown)["A"]) == (["scene"], ["mood"], "both")
    sheet = act.update(*rows, head="text\tscene\tid\tcharacter\n", keep="all")
    assert sheet["roles"] == {"text": 0, "scene": 1, "id": 2, "character": 3}
    assert [line["cells"] for line in act.lines()][:2] == [["One, mine.", "x", "A", "Ahri"], ["Two.", "x", "B", "Bo"]]


def test_a_column_that_was_renamed_is_known_by_its_role(client: httpx.Client) -> None:
    act = Act(client)
    assert act.compare(*FIRST, head="Line ID\tcharacter\tDialogue\tmood\n")["lines"] == []


def test_one_undo_restores_cells_order_columns_and_lines_and_can_be_undone(client: httpx.Client) -> None:
    act = Act(client)
    act.write("B", 2, "Two, mine.")
    before = act.client.get(act.path).json()
    update = act.update("N\tBo\tNew.\tx", "C\tBo\tThree, theirs.\tx", head="id\tcharacter\ttext\tcolour\n")
    assert act.texts() == ["New.", "Three, theirs."]
    undone = act.undo(update["update"])
    shown = act.client.get(act.path).json()
    assert [shown[name] for name in ("columns", "roles", "name")] == [
        before[name] for name in ("columns", "roles", "name")
    ]
    assert [(line["key"], line["cells"]) for line in act.lines()] == [
        (line["key"], line["cells"]) for line in before["lines"]
    ]
    assert kinds(act.compare(*FIRST)) == {"B": "studio"}
    act.undo(undone["update"])
    assert act.texts() == ["New.", "Three, theirs."]


def test_of_simultaneous_undos_of_one_update_only_one_is_made(client: httpx.Client) -> None:
    act = Act(client)
    update = act.update("A\tAhri\tOne!\t")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post(f"{act.path}/updates/{update['update']}/undo"), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200, *[404] * 7]


def test_an_undo_leaves_what_was_edited_after_the_update(client: httpx.Client) -> None:
    act = Act(client)
    update = act.update("A\tAhri\tOne, theirs.\t", "B\tBo\tTwo, theirs.\t", *FIRST[2:])
    act.write("B", 2, "Two, later.")
    act.undo(update["update"])
    assert act.texts() == ["One.", "Two, later.", "Three.", "Four."]


def test_two_updates_are_undone_one_after_the_other(client: httpx.Client) -> None:
    act = Act(client)
    first = act.update("A\tAhri\tOne, second.\t", *FIRST[1:])
    second = act.update("A\tAhri\tOne, third.\t", *FIRST[1:])
    act.undo(second["update"])
    assert act.texts()[0] == "One, second."
    act.undo(first["update"])
    assert act.texts()[0] == "One."


@pytest.mark.parametrize("update", ["7", "999999999999", "..", "x"])
def test_an_update_that_is_not_known_cannot_be_undone(client: httpx.Client, update: str) -> None:
    act = Act(client)
    assert client.post(f"{act.path}/updates/{update}/undo").status_code == 404
    assert act.texts() == ["One.", "Two.", "Three.", "Four."]


def test_an_edit_that_came_after_the_comparison_is_not_overwritten(client: httpx.Client) -> None:
    act = Act(client)
    rows = ("A\tAhri\tOne, theirs.\t", *FIRST[1:])
    seen = act.compare(*rows)["digest"]
    act.write("A", 2, "One, mine.")
    assert act.update(*rows, seen=seen)["status"] == 409
    assert act.texts()[0] == "One, mine."
    assert act.update(*rows, seen=act.compare(*rows)["digest"])["status"] == 200
    assert act.texts()[0] == "One, theirs."


@pytest.mark.parametrize("choice", ["", "{}x", '{"keep": 7}', '{"keep": "some"}'])
def test_a_choice_that_cannot_be_read_is_refused(client: httpx.Client, choice: str) -> None:
    act = Act(client)
    answer = client.post(f"{act.path}/update", files={"file": ("act.tsv", b"id\ttext\n")}, data={"choice": choice})
    assert answer.status_code in (400, 422)
    assert act.texts() == ["One.", "Two.", "Three.", "Four."]


def test_a_renamed_file_is_offered_as_the_update_of_the_sheet_whose_texts_it_has(client: httpx.Client) -> None:
    act = Act(client)
    other = {"text": HEAD + "A\tAhri\tSomething else.\t", "name": "other.tsv"}
    act.post(f"{ROOT}/{act.project}/sheets/paste", other)

    def candidates(name: str, *rows: str) -> list[str]:
        content = (HEAD + "\n".join(rows)).encode()
        answer = client.post(f"{ROOT}/{act.project}/sheets/candidates?name={name}", content=content)
        return [each["name"] for each in answer.json()]

    assert candidates("final_v3.tsv", *FIRST[:3], "N\tBo\tNew.\t") == ["act.tsv"]
    assert candidates("act_2.tsv", "A\tAhri\tAnother act.\t", "B\tBo\tWith the same ids.\t") == []
    assert candidates("other.tsv", *FIRST) == ["other.tsv", "act.tsv"]


def test_a_sheet_of_an_earlier_studio_compares_its_edited_lines_as_changed_by_both() -> None:
    document = (
        '{"id":"s","name":"act.tsv","columns":["id","text"],"roles":{"id":0,"text":1},"form":{"kind":"tsv"},"lines":['
        '{"key":"a","cells":["A","One."]},'
        '{"key":"b","cells":["B","Two, mine."],"events":[{"at":"","what":"changed from “Two.” to “Two, mine.”"}]}]}'
    )
    table = read_pasted("id\ttext\nA\tOne, theirs.\nB\tTwo, theirs.")
    lines = SheetComparison(SHEET.validate_json(document), table).lines
    assert [each.kind for each in lines] == ["file", "both"]
