"""Renders: what is made, made again and left alone."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import BadInput
from engines.scheduling.ticket import Ticket
from engines.types import Audio
from studio.champions.library import Library
from studio.order import Order
from studio.script.checks.expected_take import Checked
from studio.script.format.script import Respelling, TakeCheck
from studio.script.render_admission import OTHERS_FIRST_MAX
from studio.script.render_choice import RenderChoice
from studio.script.rendering import PlannedTake
from studio.script.sheet_edit import CellEdit, MarkEdit, SheetEdit
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, studio_of
from tests.studio.script.conftest import cast_of, sheet_of
from tests.waiting import PATIENCE_S, until

BAD = "this is always bad"


def project_of(studio: Studio, *texts: str, voices: tuple[str, ...] = ("anna",)) -> tuple[str, str]:
    """Ids of a new project with one sheet of these texts."""
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of(*voices))
    return project, studio.scripts.files.paste(project, sheet_of(*texts), "act2.tsv")["id"]


def rendered(studio: Studio, project: str, sheet: str, **how: object) -> dict:
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet, **how))
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    return studio.scripts.views.sheet(project, sheet)


def statuses(sheet: dict) -> list[str]:
    return [line["status"] for line in sheet["lines"]]


def test_every_line_gets_its_takes(studio: Studio) -> None:
    sheet = rendered(studio, *project_of(studio, "one two", "three", "four"), takes=2)
    assert statuses(sheet) == ["made"] * 3
    assert [[take["number"] for take in line["takes"]] for line in sheet["lines"]] == [[1, 2]] * 3
    assert len({take["seed"] for line in sheet["lines"] for take in line["takes"]}) == 6


def test_nobody_hears_a_line_while_it_is_made(studio: Studio, metronome: Metronome) -> None:
    rendered(studio, *project_of(studio, "one two"))
    assert [request.live for request in metronome.requests.values()] == [False]


def test_the_language_column_decides_the_language_of_a_line(studio: Studio, metronome: Metronome) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    table = "id\tcharacter\ttext\tlanguage\nA\tAhri\tein\tGerman\nB\tAhri\tdos\tes-MX\nC\tAhri\tone\t\n"
    rendered(studio, project, studio.scripts.files.paste(project, table, "act2.tsv")["id"])
    assert {request.text: request.language for request in metronome.requests.values()} == {
        "ein": "de",
        "dos": "es-MX",
        "one": "en",
    }


def test_a_take_is_stale_if_the_language_of_its_line_changed(studio: Studio) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    table = "id\tcharacter\ttext\tlanguage\nA\tAhri\tein\tGerman\nB\tAhri\tone\t\n"
    sheet = studio.scripts.files.paste(project, table, "act2.tsv")["id"]
    first = rendered(studio, project, sheet)["lines"]
    edits = [CellEdit(line=line["key"], column=3, value=tag) for line, tag in zip(first, ("fr", "en-GB"), strict=True)]
    studio.scripts.sheets.edit(project, sheet, SheetEdit(cells=edits))
    german, english = studio.scripts.views.sheet(project, sheet)["lines"]
    assert [take["changed"] for take in german["takes"]] == [["language"]]
    assert [take["changed"] for take in english["takes"]] == [[]]


def test_an_entry_of_the_lexicon_changes_only_lines_of_its_language(studio: Studio, metronome: Metronome) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    table = "id\tcharacter\ttext\tlanguage\nA\tAhri\tKael ruft\tGerman\nB\tAhri\tKael waits\t\nC\tAhri\tKael wartet\tde-AT\n"
    sheet = studio.scripts.files.paste(project, table, "act2.tsv")["id"]
    german, english = (Respelling(word="Kael", spoken=tag, language=tag) for tag in ("de", "en"))
    studio.scripts.lexicons.replace(project, [german, english])
    rendered(studio, project, sheet)
    assert {request.text for request in metronome.requests.values()} == {"de ruft", "en waits", "de wartet"}

    studio.scripts.lexicons.replace(project, [replace(german, spoken="Kehl"), english])
    lines = studio.scripts.views.sheet(project, sheet)["lines"]
    assert [line["why"] for line in lines] == ["lexicon changed", "", "lexicon changed"]


def test_a_line_whose_language_changed_names_only_the_language(studio: Studio) -> None:
    project = studio.scripts.projects.create("Act 2")["id"]
    studio.scripts.projects.change(project, cast=cast_of("anna"))
    sheet = studio.scripts.files.paste(project, "id\ttext\tlanguage\nA\tKael\tGerman\n", "act2.tsv")["id"]
    studio.scripts.lexicons.replace(project, [Respelling(word="Kael", spoken="Kehl", language="de")])
    (line,) = rendered(studio, project, sheet)["lines"]
    studio.scripts.sheets.edit(project, sheet, SheetEdit(cells=[CellEdit(line=line["key"], column=2, value="fr")]))
    assert studio.scripts.views.sheet(project, sheet)["lines"][0]["changed"] == ["language"]


def test_the_record_of_a_rendered_take_has_the_id_of_the_take(studio: Studio) -> None:
    sheet = rendered(studio, *project_of(studio, "one two", "three"))
    takes = {take["id"] for line in sheet["lines"] for take in line["takes"]}
    records = studio.telemetry.recorder.recent()
    assert {(record.door, record.request_id) for record in records} == {("script", id) for id in takes}


def test_a_take_is_stale_if_a_voice_in_its_text_has_a_new_version(studio: Studio) -> None:
    library = Library(studio.settings.data_dir)
    keep(library, "bob", name="Bob", engine=ENGINE)
    project, sheet = project_of(studio, "[voice:Bob]one[/voice] two", "three")
    before = rendered(studio, project, sheet)
    assert statuses(before) == ["made", "made"]
    keep(library, "bob", expected=library.get("bob").version, seed=1, name="Bob", engine=ENGINE)
    now = studio.scripts.views.sheet(project, sheet, since=before["revision"], known=before["cast"])
    assert [(line["status"], line["why"]) for line in now["lines"]] == [("stale", "voice changed"), ("made", "")]
    assert statuses(rendered(studio, project, sheet)) == ["made", "made"]


def test_a_take_is_stale_if_a_voice_in_its_text_became_known(studio: Studio) -> None:
    project, sheet = project_of(studio, "[voice:bob]one[/voice] two")
    rendered(studio, project, sheet)
    keep(Library(studio.settings.data_dir), "bob", name="Bob", engine=ENGINE)
    assert statuses(studio.scripts.views.sheet(project, sheet)) == ["stale"]


def test_an_edited_line_is_stale_and_exactly_it_is_made_again(studio: Studio) -> None:
    project, sheet = project_of(studio, "one", "two", "three")
    before = rendered(studio, project, sheet)
    edit = SheetEdit(cells=[CellEdit(line=before["lines"][1]["key"], column=2, value="zwei")])
    edited = studio.scripts.sheets.edit(project, sheet, edit)
    assert [(line["status"], line["why"]) for line in edited["lines"]] == [("stale", "text changed")]
    after = rendered(studio, project, sheet)
    assert [len(line["takes"]) for line in after["lines"]] == [1, 2, 1]
    assert studio.scripts.renderer.status(project).progress.total == 1


def test_a_text_put_back_has_its_take_again(studio: Studio) -> None:
    project, sheet = project_of(studio, "one", "two")
    key = rendered(studio, project, sheet)["lines"][0]["key"]
    for text in ("uno", "one"):
        after = studio.scripts.sheets.edit(project, sheet, SheetEdit(cells=[CellEdit(line=key, column=2, value=text)]))
    assert statuses(after) == ["made"]


def test_what_does_not_sound_makes_nothing_stale(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    key = rendered(studio, project, sheet)["lines"][0]["key"]
    after = studio.scripts.sheets.edit(project, sheet, SheetEdit(cells=[CellEdit(line=key, column=3, value="blue")]))
    assert statuses(after) == ["made"]


def test_a_line_made_again_keeps_its_earlier_takes(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    first = rendered(studio, project, sheet)["lines"][0]
    again = rendered(studio, project, sheet, lines=[first["key"]], again=True)["lines"][0]
    assert [take["id"] for take in again["takes"]][:1] == [take["id"] for take in first["takes"]]
    assert len({take["seed"] for take in again["takes"]}) == 2


def test_a_line_marked_for_a_retake_is_made_once_more_with_what_is_due(studio: Studio) -> None:
    project, sheet = project_of(studio, "one", "two", "three")
    first, second, _ = rendered(studio, project, sheet)["lines"]
    marks = [MarkEdit(line=line["key"], take=line["takes"][0]["id"], mark="retake") for line in (first, second)]
    studio.scripts.sheets.edit(project, sheet, SheetEdit(marks=marks))
    again = rendered(studio, project, sheet)
    assert [len(line["takes"]) for line in again["lines"]] == [2, 2, 1]
    assert statuses(again) == ["made"] * 3


def test_each_voice_of_a_casting_speaks_every_line(studio: Studio) -> None:
    saved = studio.session_clips.samples()[0].name
    sheet = rendered(studio, *project_of(studio, "one", "two", voices=(saved,)))
    assert [[take["voice"] for take in line["takes"]] for line in sheet["lines"]] == [[saved], [saved]]


def test_a_line_that_cannot_be_spoken_is_told_and_holds_up_no_other(studio: Studio) -> None:
    project, sheet = project_of(studio, "one", "no exclamations!", "three")
    assert statuses(rendered(studio, project, sheet)) == ["made", "failed", "made"]
    (failure,) = studio.scripts.renderer.status(project).render.failures.values()
    assert "exclamations" in failure


def test_a_character_whom_nobody_speaks_is_told(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    studio.scripts.projects.change(project, cast={})
    (line,) = rendered(studio, project, sheet)["lines"]
    assert line["status"] == "failed"
    assert "no voice for Ahri" in line["why"]


def test_a_render_with_nothing_to_do_is_refused(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    rendered(studio, project, sheet)
    with pytest.raises(BadInput, match="every line already has a take"):
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))


@pytest.mark.parametrize("of_project", [False, True])
def test_a_take_whose_checks_fail_is_made_again_up_to_its_budget(tmp_path: Path, of_project: bool) -> None:
    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        text = piece.reading.order.text
        outcome = "fail" if text == BAD or text not in judged else "ok"
        judged.append(text)
        return Checked(checks=(TakeCheck(name="words", outcome=outcome, message="heard"),), score=float(len(judged)))

    judged: list[str] = []
    with studio_of(tmp_path, Metronome(), check_take=check_take) as studio:
        project, sheet_id = project_of(studio, "once too often here", BAD)
        if of_project:
            assert studio.scripts.projects.change(project, best_of=3)["best_of"] == 3
        sheet = rendered(studio, project, sheet_id, **({} if of_project else {"budget": 2}))
    first, second = sheet["lines"]
    assert [len(first["takes"]), len(second["takes"])] == [2, 3]
    assert [take["proposed"] for take in first["takes"]] == [False, True]


def test_a_take_in_which_the_engine_lost_control_is_made_again_once(tmp_path: Path) -> None:
    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        names = ["words", "runaway"] if piece.reading.order.text == BAD else ["words"]
        return Checked(tuple(TakeCheck(name=name, outcome="fail", message="heard") for name in names), 0.0)

    with studio_of(tmp_path, Metronome(), check_take=check_take) as studio:
        sheet = rendered(studio, *project_of(studio, "once too often here", BAD))
    assert [len(line["takes"]) for line in sheet["lines"]] == [1, 2]


@pytest.mark.parametrize("best_of", [0, 18])
def test_a_number_of_seeds_that_no_render_tries_is_refused(studio: Studio, best_of: int) -> None:
    project, _ = project_of(studio, "one")
    with pytest.raises(BadInput, match="choose 1 to 17"):
        studio.scripts.projects.change(project, best_of=best_of)


def test_a_take_of_an_ended_render_that_was_not_checked_is_checked_at_the_next_start(tmp_path: Path) -> None:
    def ended(piece: PlannedTake, audio: Audio) -> Checked:
        raise SystemExit

    with studio_of(tmp_path, Metronome(), check_take=ended) as studio:
        project, sheet = project_of(studio, "one two three four")
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        until(lambda: studio.scripts.views.sheet(project, sheet)["lines"][0]["takes"])
        studio.scripts.renderer.enter(project, "stopped")
        assert studio.scripts.views.sheet(project, sheet)["lines"][0]["takes"][0]["score"] is None
    with studio_of(tmp_path, Metronome()) as studio:
        until(lambda: studio.scripts.views.sheet(project, sheet)["lines"][0]["takes"][0]["score"] is not None)


def test_an_engines_note_on_a_take_is_a_doubt_in_its_line(studio: Studio, metronome: Metronome) -> None:
    metronome.notes = ("The speech of “one” did not end.",)
    project, sheet = project_of(studio, "one two three four")
    rendered(studio, project, sheet)
    until(lambda: studio.scripts.views.sheet(project, sheet)["lines"][0]["takes"][0]["checks"])
    (check,) = studio.scripts.views.sheet(project, sheet)["lines"][0]["takes"][0]["checks"]
    assert (check["name"], check["outcome"], check["message"]) == ("ending", "doubt", metronome.notes[0])


def test_a_paused_render_begins_no_line_until_it_goes_on(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    project, sheet = project_of(studio, "one two three", "four")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: metronome.jobs)
    studio.scripts.renderer.enter(project, "paused")
    held.set()
    until(lambda: not studio.manager.queue())
    assert statuses(studio.scripts.views.sheet(project, sheet))[1] == "none"
    studio.scripts.renderer.enter(project, "running")
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    assert statuses(studio.scripts.views.sheet(project, sheet)) == ["made", "made"]


def test_a_stopped_render_is_over(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    project, sheet = project_of(studio, "one", "two")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    stopped = studio.scripts.renderer.enter(project, "stopped")
    assert (stopped.progress.done, stopped.progress.total) == (0, 2)
    held.set()
    assert statuses(rendered(studio, project, sheet)) == ["made", "made"]


def test_a_take_marked_retake_is_not_proposed(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    (line,) = rendered(studio, project, sheet)["lines"]
    (take,) = line["takes"]
    assert take["proposed"]
    mark = MarkEdit(line=line["key"], take=take["id"], mark="retake")
    (line,) = studio.scripts.sheets.edit(project, sheet, SheetEdit(marks=[mark]))["lines"]
    assert [take["proposed"] for take in line["takes"]] == [False]


def test_marks_and_comments_stay_with_their_take(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    line = rendered(studio, project, sheet, takes=2)["lines"][0]
    first, second = (take["id"] for take in line["takes"])
    for take in (first, second):
        marked = studio.scripts.sheets.edit(
            project, sheet, SheetEdit(marks=[MarkEdit(line=line["key"], take=take, mark="select", comment="warm")])
        )
    (line,) = marked["lines"]
    assert [(take["mark"], take["comment"]) for take in line["takes"]] == [("", "warm"), ("select", "warm")]
    assert line["status"] == "select"


def test_a_select_whose_text_changed_is_stale(studio: Studio) -> None:
    project, sheet = project_of(studio, "one")
    line = rendered(studio, project, sheet)["lines"][0]
    mark = MarkEdit(line=line["key"], take=line["takes"][0]["id"], mark="select")
    edit = SheetEdit(marks=[mark], cells=[CellEdit(line=line["key"], column=2, value="uno")])
    assert statuses(studio.scripts.sheets.edit(project, sheet, edit)) == ["stale"]


def test_whoever_else_speaks_goes_first(studio: Studio, metronome: Metronome, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU the line that renders is given up for theirs, and made anew after it."""
    held, gave_up, cancel = threading.Event(), threading.Event(), Ticket.cancel
    metronome.gate = held.wait
    monkeypatch.setattr(Ticket, "cancel", lambda ticket: (cancel(ticket), gave_up.set()))
    project, sheet = project_of(studio, "tick " * 60)
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: metronome.jobs)
    (given_up,) = metronome.jobs
    sample = studio.session_clips.samples()[0]
    order = Order(text="ab", clip_id=sample.clip_id, start_s=0, end_s=2, transcript=sample.transcript, engine="tick")
    metronome.step_s = 0.001
    performance = studio.speaking.speak(order, session_id="visitor")
    assert gave_up.wait(PATIENCE_S)  # within the step under way
    held.set()
    assert performance.wait(PATIENCE_S)
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    spoken = list(dict.fromkeys(id for step in metronome.steps for id in step))
    assert [id == given_up for id in spoken[:1]] == [True]
    assert (len(spoken), spoken[1]) == (3, performance.id)


def test_visitors_who_always_speak_do_not_stop_a_render_for_ever(studio: Studio, metronome: Metronome) -> None:
    """On a CPU, a take lets eight other requests end. Then it is spoken beside the next ones."""
    project, sheet = project_of(studio, "tick " * 4)
    sample = studio.session_clips.samples()[0]
    order = Order(text="ab", clip_id=sample.clip_id, start_s=0, end_s=2, transcript=sample.transcript, engine="tick")
    over = threading.Event()

    def visitors_speak_and_wait() -> bool:
        return over.is_set() or sum(each.session_id == "visitor" for each in studio.manager.queue()) > 1

    metronome.gate = lambda: until(visitors_speak_and_wait)  # one ends, and there is always another one
    speaking = studio.speaking.speak(order, session_id="visitor")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    for _ in range(60):
        following = studio.speaking.speak(order, session_id="visitor")
        assert speaking.wait(PATIENCE_S)
        speaking = following
    assert studio.scripts.renderer.status(project).render.state == "done"
    over.set()
    spoken = list(dict.fromkeys(id for step in metronome.steps for id in step))
    (made,) = [at for at, id in enumerate(spoken) if not metronome.requests[id].live]
    assert made >= OTHERS_FIRST_MAX


def test_a_deleted_project_renders_no_further(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    project, sheet = project_of(studio, "one", "two", "three")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: metronome.jobs)
    studio.scripts.projects.delete(project)
    held.set()
    other, other_sheet = project_of(studio, "four")
    assert statuses(rendered(studio, other, other_sheet)) == ["made"]
    studio.scripts.projects.restore(project)
    assert statuses(studio.scripts.views.sheet(project, sheet))[1:] == ["none", "none"]
    assert studio.scripts.renderer.status(project).render.state == "stopped"


def test_a_line_of_few_words_is_tried_with_four_seeds_unasked(tmp_path: Path) -> None:
    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        return Checked((TakeCheck(name="words", outcome="fail", message="none heard"),), 0.0)

    with studio_of(tmp_path, Metronome(), check_take=check_take) as studio:
        sheet = rendered(studio, *project_of(studio, "Behind you", "The gate is open wide"))
    assert [len(line["takes"]) for line in sheet["lines"]] == [4, 1]
