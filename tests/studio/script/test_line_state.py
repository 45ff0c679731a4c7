"""The state of a line: what marks on its takes make of it, what made it stale, when a failure leaves."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engines.errors import BadInput
from studio.script.editing import LineChange, change_lines
from studio.script.format.script import Casting, Mark, Respelling
from studio.script.render_choice import RenderChoice
from studio.script.sheet_edit import CellEdit, MarkEdit, SheetEdit
from studio.studio import Studio
from tests.studio.script.conftest import cast_of
from tests.studio.script.test_rendering import project_of, rendered


class Desk:
    """One line with three takes."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.project, self.sheet = project_of(studio, "one two")
        self.line = rendered(studio, self.project, self.sheet, takes=3)["lines"][0]

    def mark(self, number: int, mark: Mark) -> str:
        """Mark a take; return the line's state."""
        edit = MarkEdit(line=self.line["key"], take=self.line["takes"][number - 1]["id"], mark=mark)
        self.studio.scripts.sheets.edit(self.project, self.sheet, SheetEdit(marks=[edit]))
        return str(self.now()["status"])

    def change(self, column: int, value: str) -> None:
        edit = CellEdit(line=self.line["key"], column=column, value=value)
        self.studio.scripts.sheets.edit(self.project, self.sheet, SheetEdit(cells=[edit]))

    def now(self) -> dict[str, Any]:
        line: dict[str, Any] = self.studio.scripts.views.sheet(self.project, self.sheet)["lines"][0]
        return line


@pytest.fixture
def desk(studio: Studio) -> Desk:
    return Desk(studio)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("mark", ["select", "hold", "retake"])
def test_a_mark_on_any_take_is_the_state_of_its_line(desk: Desk, number: int, mark: Mark) -> None:
    assert desk.mark(number, mark) == mark


def test_the_latest_mark_decides_and_the_one_before_counts_again_once_it_is_taken_away(desk: Desk) -> None:
    assert [desk.mark(1, "select"), desk.mark(2, "retake"), desk.mark(3, "hold")] == ["select", "retake", "hold"]
    assert [desk.mark(3, ""), desk.mark(2, ""), desk.mark(1, "")] == ["retake", "select", "made"]


def test_a_mark_that_is_given_again_decides_again(desk: Desk) -> None:
    assert [desk.mark(1, "select"), desk.mark(2, "retake"), desk.mark(1, "select")] == ["select", "retake", "select"]


def test_a_change_that_is_sent_twice_counts_once(desk: Desk) -> None:
    desk.mark(2, "hold")
    before = desk.studio.scripts.views.sheet(desk.project, desk.sheet)["revision"]
    desk.mark(2, "hold")
    assert desk.studio.scripts.views.sheet(desk.project, desk.sheet)["revision"] == before


def test_a_retake_of_an_earlier_take_is_made_once_and_the_select_counts_again(desk: Desk) -> None:
    desk.mark(1, "select")
    desk.mark(2, "retake")
    line = rendered(desk.studio, desk.project, desk.sheet)["lines"][0]
    assert (len(line["takes"]), line["status"]) == (4, "select")
    with pytest.raises(BadInput, match="every line already has a take"):
        desk.studio.scripts.renderer.begin(desk.project, RenderChoice(sheet=desk.sheet))


def test_a_retake_that_is_asked_for_again_is_made_again(desk: Desk) -> None:
    desk.mark(1, "retake")
    rendered(desk.studio, desk.project, desk.sheet)
    assert desk.mark(1, "retake") == "retake"
    assert len(rendered(desk.studio, desk.project, desk.sheet)["lines"][0]["takes"]) == 5


def edit_lines(desk: Desk, change: LineChange) -> None:
    """Change the line behind the back of the studio, as an earlier studio could have left it."""
    projects = desk.studio.scripts.projects._projects
    projects.change_sheet(desk.project, desk.sheet, lambda sheet: change_lines(sheet, {desk.line["key"]: change}))


def respelled(desk: Desk) -> None:
    desk.studio.scripts.lexicons.replace(desk.project, [Respelling(word="two", spoken="too")])


def no_voice(desk: Desk) -> None:
    desk.studio.scripts.projects.change(desk.project, cast={})


def other_version(desk: Desk) -> None:
    def earlier(line: Any) -> Any:
        return replace(line, takes=tuple(replace(take, version="v1", made_from="another") for take in line.takes))

    edit_lines(desk, earlier)


def other_setting(desk: Desk) -> None:
    casting = Casting(voice="anna", settings={"speed": 1.2})
    desk.studio.scripts.projects.change(desk.project, cast={"": {"": (casting,)}})


@pytest.mark.parametrize(
    ("act", "changed", "why"),
    [
        (lambda desk: desk.change(2, "one three"), ["text"], "text changed"),
        (respelled, ["lexicon"], "lexicon changed"),
        (no_voice, ["voice"], "voice changed"),
        (other_version, ["voice"], "voice changed"),
        (other_setting, ["setting"], "settings (speed) changed"),
    ],
)
def test_a_stale_line_and_its_takes_name_what_changed(
    desk: Desk, act: Callable[[Desk], None], changed: list[str], why: str
) -> None:
    act(desk)
    line = desk.now()
    assert (line["status"], line["changed"], line["why"]) == ("stale", changed, why)
    assert [take["changed"] for take in line["takes"]] == [changed] * 3


def test_several_changes_are_all_named(desk: Desk) -> None:
    desk.change(2, "two three")
    other_setting(desk)
    assert desk.now()["changed"] == ["text", "setting"]
    assert desk.now()["why"] == "text and settings (speed) changed"


def test_a_take_of_an_earlier_studio_names_what_can_be_known(desk: Desk) -> None:
    def older(line: Any) -> Any:
        return replace(line, takes=tuple(replace(take, written="", settings=None) for take in line.takes))

    edit_lines(desk, older)
    other_setting(desk)
    assert (desk.now()["changed"], desk.now()["why"]) == (["setting"], "settings changed")


def test_a_fresh_line_names_no_change(desk: Desk) -> None:
    assert desk.now()["changed"] == []
    assert [(take["stale"], take["changed"]) for take in desk.now()["takes"]] == [(False, [])] * 3


def failed(studio: Studio, *texts: str) -> tuple[str, str]:
    """A project whose lines nobody speaks, and which was rendered."""
    project, sheet = project_of(studio, *texts)
    studio.scripts.projects.change(project, cast={})
    assert rendered(studio, project, sheet)["lines"][0]["status"] == "failed"
    return project, sheet


def test_a_failure_leaves_line_and_render_once_somebody_speaks_the_line(studio: Studio) -> None:
    project, sheet = failed(studio, "one")
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    answer = studio.scripts.views.sheet(project, sheet)
    assert (answer["lines"][0]["status"], answer["render"]["failed"]) == ("none", [])


def test_a_failure_leaves_once_the_text_is_another(studio: Studio) -> None:
    project, sheet = project_of(studio, "no exclamations!", "two")
    line = rendered(studio, project, sheet)["lines"][0]
    assert line["status"] == "failed"
    edit = SheetEdit(cells=[CellEdit(line=line["key"], column=2, value="none")])
    studio.scripts.sheets.edit(project, sheet, edit)
    answer = studio.scripts.views.sheet(project, sheet)
    assert (answer["lines"][0]["status"], answer["render"]["failed"]) == ("none", [])


def test_a_failure_leaves_with_its_line(studio: Studio) -> None:
    project, sheet = failed(studio, "one")
    key = studio.scripts.views.sheet(project, sheet)["lines"][0]["key"]
    studio.scripts.sheets.edit(project, sheet, SheetEdit(delete=[key]))
    assert studio.scripts.views.sheet(project, sheet)["render"]["failed"] == []


def test_a_failure_stays_while_its_cause_does(studio: Studio) -> None:
    project, sheet = failed(studio, "one", "two")
    key = studio.scripts.views.sheet(project, sheet)["lines"][0]["key"]
    studio.scripts.sheets.edit(project, sheet, SheetEdit(cells=[CellEdit(line=key, column=3, value="blue")]))
    answer = studio.scripts.views.sheet(project, sheet)
    assert [line["status"] for line in answer["lines"]] == ["failed", "failed"]
    assert len(answer["render"]["failed"]) == 2
