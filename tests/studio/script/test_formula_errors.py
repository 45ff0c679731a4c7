"""A spreadsheet error makes its line fail and is not spoken."""

import pytest

from studio.script.render_choice import RenderChoice
from studio.script.sheet_edit import CellEdit, SheetEdit
from studio.studio import Studio
from tests.studio.script.conftest import cast_of
from tests.waiting import until

SHEET = "id\tcharacter\ttext\tnotes\nL1\tAhri\tOne.\t#N/A\nL2\t#REF!\tTwo.\t\nL3\tAhri\t#N/A\t\n#NAME?\tAhri\tFour.\t\n"


@pytest.mark.parametrize("ended", [False, True])
def test_a_line_with_an_error_fails_with_a_reason_and_the_others_are_made(studio: Studio, ended: bool) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    sheet = studio.scripts.files.paste(project, SHEET, "act2.tsv")
    assert sheet["notes"] == [
        "3 lines with a spreadsheet error: #REF!, #N/A, #NAME?. "
        "The studio cannot render such a line. Correct the formula in the spreadsheet, or type the value here."
    ]
    if ended:
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet["id"]))
        until(lambda: studio.scripts.renderer.status(project).render.state == "done")
        sheet = studio.scripts.views.sheet(project, sheet["id"])
    assert [line["status"] for line in sheet["lines"]] == ["made" if ended else "none", "failed", "failed", "failed"]
    assert sheet["lines"][2]["why"] == (
        "text is #N/A, a spreadsheet error; correct the formula in the spreadsheet, or type the value here"
    )
    assert sheet["lines"][2]["estimate_s"] is None


def test_a_corrected_line_is_due_again(studio: Studio) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    sheet = studio.scripts.files.paste(project, SHEET, "act2.tsv")
    edit = CellEdit(line=sheet["lines"][2]["key"], column=2, value="Three.")
    (line,) = studio.scripts.sheets.edit(project, sheet["id"], SheetEdit(cells=[edit]))["lines"]
    assert (line["status"], line["why"]) == ("none", "")
