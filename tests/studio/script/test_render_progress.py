"""Progress of a render: one count of lines for every page, which never decreases."""

import threading
from pathlib import Path

import pytest

from engines.errors import BadInput
from engines.types import Audio
from studio.order import Order
from studio.script.checks.expected_take import Checked
from studio.script.format.script import TakeCheck
from studio.script.render_choice import RenderChoice
from studio.script.render_progress import ActiveClock
from studio.script.rendering import PlannedTake
from studio.script.serializers import render_json
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of
from tests.studio.script.test_rendering import project_of
from tests.waiting import PATIENCE_S, until


def progress_of(studio: Studio, project: str) -> tuple[int, int, int]:
    answer = render_json(studio.scripts.renderer.status(project))
    return answer["done"], answer["unmade"], answer["total"]


def ended(studio: Studio, project: str) -> bool:
    return studio.scripts.renderer.status(project).render.state == "done"


def keys_of(studio: Studio, project: str, sheet: str) -> list[str]:
    return [line["key"] for line in studio.scripts.views.sheet(project, sheet)["lines"]]


def test_lines_known_to_fail_are_no_part_of_the_total(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    project, sheet = project_of(studio, "#REF!", "one two three four", "[laughs]")
    begun = studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    assert (begun.progress.done, begun.progress.total, len(begun.failures)) == (0, 1, 2)
    held.set()
    until(lambda: ended(studio, project))
    assert progress_of(studio, project) == (1, 0, 1)


def test_the_causes_of_failures_are_listed_with_their_numbers_of_lines(studio: Studio) -> None:
    project, sheet = project_of(studio, "#REF!", "[laughs]", "(sighs)", "no exclamations!", "one two")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: ended(studio, project))
    directions, formula, engine = render_json(studio.scripts.renderer.status(project))["causes"]
    assert directions == "2 lines have no text besides stage directions"
    assert formula == "1 line has an error from the spreadsheet (#REF!)"
    assert engine.startswith("1 line: ") and "exclamations" in engine


def test_a_line_that_fails_during_the_render_is_counted_apart(studio: Studio) -> None:
    project, sheet = project_of(studio, "one two", "no exclamations!", "three four")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: ended(studio, project))
    assert progress_of(studio, project) == (2, 1, 3)


def test_a_line_is_done_when_its_take_is_checked(tmp_path: Path) -> None:
    checked = threading.Event()

    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        assert checked.wait(PATIENCE_S)
        return Checked((), 1.0)

    with studio_of(tmp_path, Metronome(), check_take=check_take) as studio:
        project, sheet = project_of(studio, "the first of two long lines", "the second of two long lines")
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        until(lambda: studio.scripts.renderer.status(project).checking == 2)
        assert progress_of(studio, project) == (0, 0, 2)
        checked.set()
        until(lambda: ended(studio, project))
        assert progress_of(studio, project) == (2, 0, 2)


def test_pause_resume_stop_and_a_restart_keep_the_count(tmp_path: Path) -> None:
    metronome = Metronome()
    with studio_of(tmp_path, metronome) as studio:
        project, sheet = project_of(studio, *(f"the line of number {number}" for number in "abcd"))
        entered, held = threading.Event(), threading.Event()

        def gate() -> None:
            if len(metronome.requests) > 2:
                entered.set()
                held.wait()

        metronome.gate = gate
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        assert entered.wait(PATIENCE_S)
        until(lambda: progress_of(studio, project)[0] == 2)
        for state in ("paused", "running", "paused"):
            studio.scripts.renderer.enter(project, state)
            assert progress_of(studio, project) == (2, 0, 4)
        held.set()
    with studio_of(tmp_path, Metronome()) as studio:
        assert progress_of(studio, project)[0] >= 2
        studio.scripts.renderer.enter(project, "stopped")
        assert progress_of(studio, project)[0] in (2, 3)


def test_a_take_is_added_to_the_render_that_runs(studio: Studio, metronome: Metronome) -> None:
    held, entered = threading.Event(), threading.Event()
    metronome.gate = lambda: (entered.set(), held.wait())
    project, sheet = project_of(studio, "one two three four", "five six seven eight")
    first, second = keys_of(studio, project, sheet)
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet, lines=[first]))
    assert entered.wait(PATIENCE_S)
    added = studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet, lines=[second]))
    assert (added.render.state, added.progress.done, added.progress.total) == ("running", 0, 2)
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet, lines=[first], again=True))
    held.set()
    until(lambda: ended(studio, project))
    lines = studio.scripts.views.sheet(project, sheet)["lines"]
    assert [len(line["takes"]) for line in lines] == [2, 1]
    assert progress_of(studio, project) == (2, 0, 2)


def test_another_take_of_a_finished_line_counts_once_more(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    project, sheet = project_of(studio, "one two three four", "five six seven eight")
    first, _ = keys_of(studio, project, sheet)
    metronome.gate = lambda: len(metronome.requests) > 1 and held.wait()
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: progress_of(studio, project) == (1, 0, 2))
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet, lines=[first], again=True))
    assert progress_of(studio, project) == (1, 0, 3)
    held.set()
    until(lambda: ended(studio, project))
    assert progress_of(studio, project) == (3, 0, 3)
    lines = studio.scripts.views.sheet(project, sheet)["lines"]
    assert [len(line["takes"]) for line in lines] == [2, 1]


def test_a_whole_sheet_is_not_added_to_the_render_that_runs(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    project, sheet = project_of(studio, "one two three four")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    with pytest.raises(BadInput, match="already running"):
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    held.set()


def test_a_render_says_that_it_waits_for_other_requests_and_gives_no_time(studio: Studio, metronome: Metronome) -> None:
    held = threading.Event()
    metronome.gate = held.wait
    sample = studio.session_clips.samples()[0]
    order = Order(text="ab", clip_id=sample.clip_id, start_s=0, end_s=2, transcript=sample.transcript, engine="tick")
    performance = studio.speaking.speak(order, session_id="visitor")
    until(lambda: metronome.jobs)
    project, sheet = project_of(studio, "one two three four")
    studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
    until(lambda: studio.scripts.renderer.status(project).waits)
    answer = render_json(studio.scripts.renderer.status(project))
    assert (answer["state"], answer["waits"], answer["eta_s"]) == ("running", True, None)
    held.set()
    assert performance.wait(PATIENCE_S)
    until(lambda: ended(studio, project))
    assert not studio.scripts.renderer.status(project).waits


def test_the_clock_of_estimates_stands_still_while_renders_wait() -> None:
    now_s = 10.0
    clock = ActiveClock(lambda: now_s)
    clock.hold(True)
    now_s = 60.0
    assert clock.now() == 10.0
    clock.hold(False)
    now_s = 61.0
    assert clock.now() == 11.0


def test_a_retried_line_counts_once(tmp_path: Path) -> None:
    def check_take(piece: PlannedTake, audio: Audio) -> Checked:
        return Checked((TakeCheck(name="words", outcome="fail", message="Nothing heard."),), 0.0)

    with studio_of(tmp_path, Metronome(), check_take=check_take) as studio:
        project, sheet = project_of(studio, "Behind you")
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        until(lambda: ended(studio, project))
        assert progress_of(studio, project) == (1, 0, 1)
