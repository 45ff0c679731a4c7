"""The page's own queue before the scheduler: visitors take turns there, are told the truth, and fill the engine's batch."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from engines.scheduling.manager import Policy
from studio.api.programs import Programs
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain
from studio.web.session import COOKIE
from tests.engines.metronome import Metronome, request
from tests.studio.house import ENGINE, served, studio_of, web
from tests.waiting import until

PATIENCE_S = 300.0
LETTERS = 22  # of a session's cookie


class Caller:
    """One visitor's browser: queues requests at `/speak` and hears what the queue says of each."""

    def __init__(self, url: str, letter: str) -> None:
        self.session = letter
        self.client = httpx.Client(base_url=url, cookies={COOKIE: letter * LETTERS}, timeout=PATIENCE_S)
        self.reported: dict[str, dict[str, Any]] = {}  # text -> the newest estimation
        self.ended: set[str] = set()
        self._texts: dict[str, str] = {}
        self._stream: threading.Thread | None = None

    def join(self, text: str, session_hash: str = "") -> httpx.Response:
        body = {"data": [text, "", 0, 0, "", ENGINE, 1], "fn_index": 0, "session_hash": session_hash or self.session}
        return self.client.post("/gradio_api/queue/join", json=body)

    def ask(self, *texts: str) -> None:
        for text in texts:
            self._texts[self.join(text).raise_for_status().json()["event_id"]] = text
        if self._stream is None:
            self._stream = threading.Thread(target=self._hear, daemon=True)
            self._stream.start()

    def _hear(self) -> None:
        with (
            suppress(httpx.RemoteProtocolError),
            self.client.stream("GET", f"/gradio_api/queue/data?session_hash={self.session}") as events,
        ):
            for line in events.iter_lines():
                message = json.loads(line.removeprefix("data:")) if line else {}
                text = self._texts.get(message.get("event_id", ""), "")
                if message.get("msg") == "estimation":
                    self.reported[text] = message
                elif message.get("msg") == "process_completed":
                    self.ended.add(text)


class Page:
    """A studio's page over a metronome that stands still until it is let go."""

    def __init__(self, url: str, studio: Studio, tick: Metronome, steps: threading.Semaphore, line: Any) -> None:
        self.url, self.studio, self.tick, self.queue, self._steps = url, studio, tick, line, steps

    def let_go(self, steps: int = 100_000) -> None:
        self._steps.release(steps)

    def stop(self) -> None:
        while self._steps.acquire(blocking=False):
            pass

    @property
    def admitted(self) -> list[str]:
        """Texts in the order in which the engine took them in."""
        return [request.text for request in self.tick.requests.values()]

    def wait_for(self, running: int, waiting: int) -> None:
        until(lambda: (len(self.studio.manager.queue()), len(self.queue)) == (running, waiting), PATIENCE_S)

    def wait_for_all(self, *callers: Caller) -> None:
        until(lambda: all(caller.ended == set(caller._texts.values()) for caller in callers), PATIENCE_S)


@contextmanager
def paged(folder: Path, tick: Metronome, **settings: Any) -> Iterator[Page]:
    from studio.ui.pages.page import build, mount_page  # takes seconds, which collecting other tests need not

    steps = threading.Semaphore(0)
    tick.gate = steps.acquire
    chosen = Settings(data_dir=folder / "data", **settings)
    with studio_of(folder, tick, Policy(), chosen) as studio:
        page = build(studio, Programs(studio, Drain()))
        with served(mount_page(web(studio), page)) as url:
            page._queue.unheard_s = PATIENCE_S  # callers here may be slow to listen
            yield Page(url, studio, tick, steps, page._queue)
            steps.release(100_000)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Page]]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "gradio"))
    with ExitStack() as stack:
        yield lambda tick, **settings: stack.enter_context(paged(tmp_path, tick, **settings))


def test_a_visitor_is_served_second_whatever_another_has_queued(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome())
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    ann.ask("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8")
    page.wait_for(running=1, waiting=7)
    ben.ask("b1")
    page.wait_for(running=1, waiting=8)
    page.let_go()
    page.wait_for_all(ann, ben)
    assert page.admitted == ["a1", "b1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"]


def test_the_places_and_times_that_are_told_are_the_order_of_service(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome())
    page.let_go()
    ann, ben, eve = (Caller(page.url, letter) for letter in "abe")
    eve.ask("evidence of how long a take takes")
    page.wait_for_all(eve)
    page.stop()
    ann.ask("a1", "a2", "a3")
    page.wait_for(running=1, waiting=2)
    ben.ask("b1", "b2")
    page.wait_for(running=1, waiting=4)
    until(lambda: [one.get("queue_size") for one in (ann.reported | ben.reported).values()].count(4) == 4, PATIENCE_S)
    reported = sorted(
        (one["rank"], one["rank_eta"], text) for text, one in (ann.reported | ben.reported).items() if text != "a1"
    )
    seen = httpx.get(f"{page.url}/studio/telemetry", cookies={COOKIE: "b" * LETTERS}).json()["waiting"]
    page.let_go()
    page.wait_for_all(ann, ben)
    assert [rank for rank, *_ in reported] == [0, 1, 2, 3]
    assert [eta_s for _, eta_s, _ in reported] == sorted({eta_s for _, eta_s, _ in reported})
    assert page.admitted[2:] == [text for *_, text in reported] == ["b1", "a2", "b2", "a3"]
    assert [(one["rank"], one["mine"]) for one in seen] == [(1, True), (2, False), (3, True), (4, False)]
    assert [one["eta_s"] for one in seen] == pytest.approx([eta_s for _, eta_s, _ in reported])


def test_both_visitors_are_in_one_batch_where_several_are_spoken_at_a_time(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome(width=5), gpu_concurrency=5)  # the last row stays free for a third visitor
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    ann.ask("a1", "a2", "a3")
    page.wait_for(running=3, waiting=0)
    ben.ask("b1")
    page.wait_for(running=4, waiting=0)
    page.let_go()
    page.wait_for_all(ann, ben)
    assert max(len(step) for step in page.tick.steps) == 4


@pytest.mark.long
def test_those_who_will_share_the_device_are_told_that_they_will_be_done_together(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome(width=3, step_s=0.02), gpu_concurrency=2)
    page.let_go()
    ann, long = Caller(page.url, "a"), "a word " * 40
    ann.ask("evidence")
    page.wait_for_all(ann)
    page.stop()
    page.tick.step_s = 0.0
    [alone_s] = page.studio.manager.etas([request(long)])
    ben = Caller(page.url, "b")
    ben.ask("b1", "b2", long, long)
    page.wait_for(running=2, waiting=2)
    page.let_go(1)  # whoever came during a step joins after it
    until(lambda: len(page.tick.jobs) == 2, PATIENCE_S)
    first, second = page.queue.waiting()
    assert alone_s < first.eta_s <= second.eta_s < first.eta_s + 0.5 * alone_s


@pytest.mark.long
@pytest.mark.parametrize(("device", "set_to", "width"), [("cpu", 0, 1), ("cuda:0", 0, 3), ("cuda:0", 2, 2)])
def test_a_gpu_speaks_a_batch_at_a_time_a_cpu_one_and_any_device_as_many_as_are_set(  # type: ignore[no-untyped-def]
    pages, device: str, set_to: int, width: int
) -> None:
    tick = Metronome(width=3)
    tick.device = device
    page = pages(tick, gpu_concurrency=set_to)
    until(lambda: page.studio.manager.status(ENGINE).state == "ready", PATIENCE_S)
    ann = Caller(page.url, "a")
    ann.ask("a1", "a2", "a3", "a4")
    page.wait_for(running=width, waiting=4 - width)
    page.let_go()
    page.wait_for_all(ann)


def test_whose_page_is_closed_leaves_the_line_and_the_next_moves_up(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome())
    ann, ben, eve = (Caller(page.url, letter) for letter in "abe")
    ann.ask("a1")
    page.wait_for(running=1, waiting=0)
    ben.join("b1", "leaving").raise_for_status()
    eve.ask("e1")
    page.wait_for(running=1, waiting=2)
    until(lambda: eve.reported.get("e1", {}).get("rank") == 1, PATIENCE_S)
    with ben.client.stream("GET", "/gradio_api/queue/data?session_hash=leaving"):
        pass
    page.wait_for(running=1, waiting=1)
    until(lambda: eve.reported.get("e1", {}).get("rank") == 0, PATIENCE_S)
    page.let_go()
    page.wait_for_all(ann, eve)
    assert page.admitted == ["a1", "e1"]


def test_what_nobody_listens_for_leaves_the_line_unspoken_and_says_so(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome())
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    ann.ask("a1", "a2")
    page.wait_for(running=1, waiting=1)
    ben.join("b1", "unheard").raise_for_status()
    later = ben.client.post("/gradio_api/call/speak", json={"data": ["b2", "", 0, 0, "", ENGINE, 1]})
    page.wait_for(running=1, waiting=3)
    page.queue.unheard_s = 1.0
    page.wait_for(running=1, waiting=2)
    with ben.client.stream("GET", "/gradio_api/queue/data?session_hash=unheard") as events:
        answer = [json.loads(line.removeprefix("data:")) for line in events.iter_lines() if line]
    (end,) = [message for message in answer if message["msg"] == "process_completed"]
    assert (end["success"], "send the request again" in end["output"]["error"]) == (False, True)
    page.let_go()
    page.wait_for_all(ann)
    assert ben.client.get(f"/gradio_api/call/speak/{later.json()['event_id']}").text.startswith("event:")
    assert sorted(page.admitted) == ["a1", "a2", "b2"]


def test_a_session_that_gradio_forgot_costs_no_other_its_place_or_its_news(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome())
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    assert ann.join("a1").is_success
    assert ann.join("a2").is_success
    page.wait_for(running=1, waiting=1)
    del page.queue.pending_messages_per_session[ann.session]  # as the 2,000 sessions after it do
    ben.ask("b1")
    until(lambda: "b1" in ben.reported, PATIENCE_S)
    ben.reported.clear()
    until(lambda: "b1" in ben.reported, PATIENCE_S)  # told again, as every second
    page.let_go()
    page.wait_for_all(ben)


def test_a_request_cancelled_in_the_line_is_never_spoken(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome(width=2), gpu_concurrency=2)
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    ann.ask("a1", "a2", "a3")
    page.wait_for(running=2, waiting=1)
    ben.ask("b1")
    page.wait_for(running=2, waiting=2)
    [event] = ben._texts
    cancelled = {"session_hash": ben.session, "fn_index": 0, "event_id": event}
    ben.client.post("/gradio_api/cancel", json=cancelled).raise_for_status()
    page.wait_for(running=2, waiting=1)
    page.let_go()
    page.wait_for_all(ann)
    assert {*page.admitted[:2]} == {"a1", "a2"}  # those who begin together may be heard of in either order
    assert page.admitted[2:] == ["a3"]


@pytest.mark.long
def test_a_full_line_refuses_in_words_however_many_are_spoken_at_a_time(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome(width=2), gpu_concurrency=2, queue_size=1)
    ann = Caller(page.url, "a")
    for number, text in enumerate(("a1", "a2")):
        ann.ask(text)
        page.wait_for(running=number + 1, waiting=0)
    ann.ask("a3")
    page.wait_for(running=2, waiting=1)
    refusal = ann.join("a4", "late")
    assert (refusal.status_code, "Queue is full: 1 waiting request;" in refusal.text) == (503, True)


def test_a_visitor_holds_half_of_the_places_so_that_others_find_one(pages) -> None:  # type: ignore[no-untyped-def]
    page = pages(Metronome(), queue_size=3)
    ann, ben = Caller(page.url, "a"), Caller(page.url, "b")
    ann.ask("a1")
    page.wait_for(running=1, waiting=0)
    ann.ask("a2", "a3")
    refusal = ann.join("a4", "another tab")
    assert (refusal.status_code, refusal.headers["retry-after"]) == (429, "2")
    assert refusal.json()["detail"].startswith("2 of your requests are waiting")
    ben.ask("b1")
    full = ben.join("b2")
    assert (full.status_code, full.json()["detail"].startswith("Queue is full: 3 waiting requests")) == (503, True)
    page.let_go()
    page.wait_for_all(ann, ben)
    assert page.admitted == ["a1", "b1", "a2", "a3"]
