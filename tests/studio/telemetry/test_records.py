"""Each request leaves one record, which is kept after a restart."""

import gc
import threading
import time
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import BadText, QueueFull
from engines.scheduling.manager import Policy
from engines.scheduling.ticket import Ticket
from studio.order import Order
from studio.studio import Studio
from studio.telemetry.answer_times import AnswerTimes, answering
from studio.telemetry.origin import RequestOrigin, within
from studio.telemetry.record_files import FOLDER, NEWER, OLDER, RecordFiles
from studio.telemetry.recorder import Recorder
from studio.telemetry.records import RECORD, RequestRecord
from tests.engines.metronome import Metronome, request
from tests.studio.disks import mounted
from tests.studio.house import ENGINE, studio_of
from tests.waiting import until

CANARY, SESSION = "canary in a coal mine", "session-of-ann"
RECORDED = RequestRecord(
    request_id="id-of-a-request",
    at=1.0,
    door="http",
    engine="f5",
    outcome="done",
    total_s=2.0,
    compute_s=1.0,
    audio_s=4.0,
)


def say(studio: Studio, text: str, **further: float) -> Ticket:
    order = Order(text=text, clip_id="", start_s=0.0, end_s=0.0, transcript="", engine=ENGINE)
    return studio.speaking.say(order, session_id=SESSION, reference=request(text).reference, **further)


def records(studio: Studio, number: int) -> list[RequestRecord]:
    until(lambda: len(studio.telemetry.recorder.recent()) >= number)
    return list(studio.telemetry.recorder.recent())


def test_a_record_has_the_cost_and_the_origin_of_the_request(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(step_s=0.01, click_s=0.1)) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        with within(RequestOrigin("id-of-a-request", "http")):
            ticket = say(studio, "tick tock", arrived_at=time.monotonic() - 0.5)
        assert ticket.wait(60.0)
        [record] = records(studio, 1)
    cost = ticket.result().cost
    assert (record.request_id, record.door, record.engine, record.outcome) == (
        "id-of-a-request",
        "http",
        ENGINE,
        "done",
    )
    assert (record.total_s, record.wait_s, record.first_audio_s) == (cost.total_s, cost.queued_s, cost.ttfa_s)
    assert (record.compute_s, record.audio_s, record.rtf) == (cost.compute_s, cost.audio_s, cost.rtf)
    assert record.loaded and not record.error and 0.5 <= (record.wait_s or 0.0) < record.total_s
    assert abs(record.at - time.time()) < 60.0


def test_times_include_sending_for_the_first_and_the_last_request_of_an_answer(tmp_path: Path) -> None:
    answer = AnswerTimes()
    with studio_of(tmp_path, Metronome(click_s=0.1)) as studio, answering(answer):
        tickets = [say(studio, "tick"), say(studio, "tock")]
        assert all(ticket.wait(60.0) for ticket in tickets)
        assert not studio.telemetry.recorder.recent()
        answer.note_sent()
        time.sleep(0.1)
        answer.note_sent()
        answer.end()
        first, last = records(studio, 2)
    one, two = (ticket.result().cost for ticket in tickets)
    assert answer.first_at and answer.last_at
    assert (first.first_audio_s, first.total_s) == (answer.first_at - tickets[0].arrived_at, one.total_s)
    assert (last.first_audio_s, last.total_s) == (two.ttfa_s, answer.last_at - tickets[1].arrived_at)
    assert last.at - first.at >= 0.1 - two.total_s


def test_first_audio_of_an_answer_that_is_not_streamed_does_not_include_sending(tmp_path: Path) -> None:
    answer = AnswerTimes()
    with studio_of(tmp_path, Metronome(click_s=0.1)) as studio, answering(answer):
        ticket = say(studio, "tick", live=False)
        assert ticket.wait(60.0)
        answer.note_sent()
        answer.end()
        [record] = records(studio, 1)
    assert record.first_audio_s == ticket.result().cost.ttfa_s < record.total_s


def test_a_refused_request_has_a_record_before_its_answer_ends(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio, answering(AnswerTimes()):
        assert say(studio, "no!").wait(60.0)
        [record] = records(studio, 1)
    assert record.outcome == "refused"


def test_a_request_that_ends_after_its_answer_has_a_record(tmp_path: Path) -> None:
    answer = AnswerTimes()
    with studio_of(tmp_path, Metronome()) as studio, answering(answer):
        answer.note_sent()
        answer.end()
        ticket = say(studio, "tick")
        assert ticket.wait(60.0)
        [record] = records(studio, 1)
    assert record.total_s == ticket.result().cost.total_s


def test_a_record_has_the_language_of_the_text(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(step_s=0.01, click_s=0.1), languages="en,de") as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        assert say(studio, "Ich habe heute keine Zeit für dich").wait(60.0)
        assert say(studio, "tick tock").wait(60.0)
        assert [record.language for record in records(studio, 2)] == ["de", "en"]


def test_a_record_of_an_older_studio_has_no_language(tmp_path: Path) -> None:
    line = RECORD.dump_json(RECORDED).replace(b'"language":"",', b"")
    assert b"language" not in line
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / NEWER).write_bytes(line + b"\n")
    assert RecordFiles(tmp_path).read() == [RECORDED]


def test_each_request_has_one_end_and_one_record(tmp_path: Path) -> None:
    metronome, gate = Metronome(width=1), threading.Semaphore(0)
    metronome.gate = gate.acquire
    with studio_of(tmp_path, metronome, Policy(queue_size=2)) as studio:
        running = say(studio, "tick")
        until(lambda: running.state == "running")
        refused, stopped = say(studio, "no!"), say(studio, "tock")
        with pytest.raises(QueueFull):
            say(studio, "one more")
        with pytest.raises(BadText):
            say(studio, "(laughs)")
        stopped.cancel()
        gate.release(99)
        assert all(each.wait(60.0) for each in (running, refused, stopped))
        kinds = sorted((one.outcome, one.error) for one in records(studio, 5))
    assert kinds == [
        ("cancelled", "cancelled"),
        ("done", ""),
        ("refused", "bad_text"),
        ("refused", "bad_text"),
        ("refused", "queue_full"),
    ]


def test_requests_of_a_broken_engine_are_failed(tmp_path: Path) -> None:
    metronome = Metronome()
    metronome.broken = RuntimeError("the engine is broken")
    with studio_of(tmp_path, metronome) as studio:
        assert say(studio, "tick").wait(60.0)
        [record] = records(studio, 1)
    assert (record.outcome, record.error, record.audio_s, record.rtf) == ("failed", "engine_failed", None, None)


def test_records_outlive_the_studio(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        assert say(studio, "tick").wait(60.0)
        first = records(studio, 1)
    with studio_of(tmp_path, Metronome()) as studio:
        until(lambda: studio.telemetry.recorder.recent() == first)
        assert say(studio, "tock").wait(60.0)
        both = records(studio, 2)
    assert both[:1] == first and len(both) == 2
    assert RecordFiles(tmp_path / "data").read() == both


def test_a_partly_written_line_damages_no_other_line(tmp_path: Path) -> None:
    for number in range(3):
        files = RecordFiles(tmp_path)
        files.append(replace(RECORDED, at=float(number)))
        files.close()
        with (tmp_path / FOLDER / NEWER).open("ab") as file:
            file.write(RECORD.dump_json(RECORDED)[: 10 + number])
    assert [record.at for record in RecordFiles(tmp_path).read()] == [0.0, 1.0, 2.0]


def test_the_files_are_bounded_and_keep_the_newest(tmp_path: Path) -> None:
    files = RecordFiles(tmp_path, lines_max=10)
    for number in range(95):
        files.append(replace(RECORDED, at=float(number)))
        if number % 7 == 0:
            files.close()
    lines = [len((tmp_path / FOLDER / name).read_bytes().splitlines()) for name in (OLDER, NEWER)]
    assert lines == [10, 5]
    assert [record.at for record in RecordFiles(tmp_path, lines_max=10).read()] == [float(n) for n in range(80, 95)]


def test_on_a_full_disk_records_wait_in_memory_and_are_saved_later(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "size=64k") as disk:
        recorder = Recorder(data_dir=disk)
        (disk / "ballast").write_bytes(bytes(50_000))
        (disk / FOLDER).mkdir()
        for _ in range(100):
            recorder.refuse("", QueueFull("full"))
        recorder.save()
        saved = len(RecordFiles(disk).read())
        assert saved < 100
        (disk / "ballast").unlink()
        recorder.save()
        assert RecordFiles(disk).read() == recorder.recent()
        assert len(recorder.recent()) == 100


def test_records_contain_neither_texts_nor_sessions(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        assert say(studio, CANARY).wait(60.0)
        assert say(studio, f"{CANARY}!").wait(60.0)  # which the engine refuses
        records(studio, 2)
    written = (tmp_path / "data" / FOLDER / NEWER).read_text("utf-8")
    assert written.count("\n") == 2
    assert CANARY not in written and SESSION not in written


def test_names_of_engines_that_clients_invent_are_not_recorded(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        studio.telemetry.recorder.refuse(CANARY, QueueFull("full"))
        assert [record.engine for record in records(studio, 1)] == [""]


def test_the_recorder_does_not_keep_the_audio_of_a_request_in_memory(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        ticket = say(studio, "tick")
        assert ticket.wait(60.0)
        records(studio, 1)
        until(lambda: not studio.manager.queue())
        gc.disable()
        try:
            kept = weakref.ref(ticket)
            del ticket
            until(lambda: kept() is None)
        finally:
            gc.enable()
