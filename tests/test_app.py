"""`python app.py` as a service: it asks nobody outside, notices who left, and goes when it is told, finishing its work."""

import gc
import io
import json
import math
import secrets
import threading
import time
import weakref
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest
import soundfile
from gradio_client import Client, handle_file

from app import freeze
from engines.registry import EngineOptions
from engines.types import SchedulerEvent
from studio.checkpoints import checkpoints
from studio.disk.data_folder import DataInUse, claimed
from studio.engines import device
from studio.order import flat, read_order
from studio.settings import Settings
from studio.web.session import COOKIE
from tests.browser.serving import PATIENCE_S, Served, now, serving, until, wait_until_loaded
from tests.studio.losing import aged, removed

WATCH = """
import json, os, socket

def watch(name):
    asked = getattr(socket.socket, name)
    def tell(self, address, *rest):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(("127.", "::1", "localhost")):
            with open(os.environ["OUTSIDE"], "a") as file:
                file.write(json.dumps([name, str(address)]) + "\\n")
        return asked(self, address, *rest)
    setattr(socket.socket, name, tell)

watch("connect"), watch("connect_ex")
resolve = socket.getaddrinfo

def getaddrinfo(host, *rest, **options):
    if host and str(host) not in ("127.0.0.1", "::1", "localhost"):
        with open(os.environ["OUTSIDE"], "a") as file:
            file.write(json.dumps(["getaddrinfo", str(host)]) + "\\n")
    return resolve(host, *rest, **options)

socket.getaddrinfo = getaddrinfo
"""
LINE = "The bridge is out, take the long way round, and tell the others that the road behind the mill is closed."


def running(served: Served) -> int:
    return len(now(served)["running"])


def join(served: Served, session: str, cookies: httpx.Cookies | None = None) -> httpx.Response:
    """Queue LINE as a page does."""
    body = {"data": [LINE, "", 0, 0, "", "f5", 1], "fn_index": 0, "session_hash": session, "trigger_id": None}
    return httpx.post(f"{served.url}/gradio_api/queue/join", json=body, cookies=cookies, timeout=PATIENCE_S)


def test_what_is_set_of_the_device_reaches_the_engines(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        device="cpu",
        compile="off",
        quantize="int8",
        cpu_precision="float32",
        max_batch=3,
        threads=1,
        s1_encoder="cpu",
        s1_languages="en, de",
        weights_budget_gb=1.5,
    )
    assert device(settings) == EngineOptions(
        name="cpu",
        compile="off",
        quantize="int8",
        cpu_precision="float32",
        max_batch=3,
        threads=1,
        weights_budget_bytes=1_500_000_000,
        cache_dir=str(tmp_path / "cache"),
    )
    assert checkpoints(settings)["s1"].options == {"encoder": "cpu", "languages": "en, de"}


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of every connection that the watched studio wanted to anywhere but this machine."""
    return tmp_path_factory.mktemp("outside") / "asked"


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, outside: Path) -> Iterator[Served]:
    (outside.parent / "sitecustomize.py").write_text(WATCH)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(outside.parent))
        environment.setenv("OUTSIDE", str(outside))
        with serving(tmp_path_factory.mktemp("data"), fresh=True) as served:
            yield served


def test_nothing_outside_is_asked_at_start_or_while_speaking(watched: Served, outside: Path) -> None:
    for engine in ("f5", "s1"):
        speaking = Client(watched.url, verbose=False)
        _, audio, take = speaking.predict(text="The bridge is out.", engine=engine, api_name="/speak")
        assert Path(audio).stat().st_size > 10_000 and take["cost"]["audio_s"] > 0.5
    assert not outside.exists(), outside.read_text()


def test_a_client_that_leaves_frees_the_lane(watched: Served) -> None:
    assert join(watched, "leaver").status_code == 200
    with httpx.stream("GET", f"{watched.url}/gradio_api/queue/data?session_hash=leaver", timeout=PATIENCE_S) as events:
        for line in events.iter_lines():
            if "process_generating" in line and running(watched) == 1:
                break
    until(lambda: running(watched) == 0)
    assert watched.get("/studio/telemetry")["outcomes"]["cancelled"] == 1


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio of one engine with a short line; the last test that uses it ends it."""
    with serving(tmp_path_factory.mktemp("small"), STUDIO_ENGINES="f5", STUDIO_QUEUE_SIZE=2) as served:
        yield served


def test_latency_on_the_strip_agrees_with_a_stopwatch(small: Served) -> None:
    """The stopwatch runs at a client: the studio can have taken neither longer than it saw nor shorter than it watched."""
    with httpx.Client(base_url=small.url, timeout=PATIENCE_S) as client, ThreadPoolExecutor() as near:
        client.get("/health")  # its session, so that the sound is its own
        began = time.monotonic()
        assert join(small, "watch", client.cookies).status_code == 200
        accepted = at_work = time.monotonic()
        heard = near.submit(first_and_end, client, "watch")
        while not heard.done():
            asked = time.monotonic()
            at_work = asked if running(small) else at_work
        (one,) = small.get("/studio/telemetry")["timed"]
        first, end = heard.result()
        assert at_work > accepted
        assert 0 < one["ttfa_s"] <= first - began
        assert max(one["ttfa_s"], at_work - accepted) <= one["latency_s"] <= end - began


def first_and_end(client: httpx.Client, session: str) -> tuple[float, float]:
    """When the first byte of sound came, and when the take was there."""
    with client.stream("GET", f"/gradio_api/queue/data?session_hash={session}") as events:
        lines = events.iter_lines()  # held, for whoever lets go of it leaves
        reported = next(line for line in lines if "process_generating" in line)
        id = json.loads(reported.removeprefix("data:"))["output"]["data"][0]["id"]
        with client.stream("GET", f"/studio/live/{id}.pcm") as sound:
            first, *_ = [time.monotonic() for _ in sound.iter_raw()]
        assert any("process_completed" in line for line in lines)
    return first, time.monotonic()


def test_those_in_the_pages_own_line_are_counted_timed_and_refused_when_it_is_full(small: Served) -> None:
    with httpx.Client(base_url=small.url, timeout=PATIENCE_S) as client:
        client.get("/health")
        accepted = [join(small, "first")]
        until(lambda: running(small) == 1)
        accepted += [join(small, "second", client.cookies), join(small, "third")]
        assert [answer.status_code for answer in accepted] == [200, 200, 200]
        refusal = join(small, "fourth")
        assert (refusal.status_code, "2 waiting requests" in refusal.text) == (503, True)
        seen = client.get("/studio/telemetry?series=false").json()
        assert (seen["queue_length"], seen["outcomes"]["refused"]) == (2, 1)
        waiting = [(one["rank"], one["mine"], one["engine"]) for one in seen["waiting"]]
        assert waiting == [(1, True, "f5"), (2, False, "f5")]
        etas_s = [one["eta_s"] for one in (*seen["running"], *seen["waiting"])]
        assert etas_s == sorted(etas_s) and len(set(etas_s)) == 3
        with client.stream("GET", "/gradio_api/queue/data?session_hash=third") as events:
            reported = next(json.loads(line[5:]) for line in events.iter_lines() if '"estimation"' in line)
        assert reported["rank"] == 1 and reported["rank_eta"] > 0
        for session, answer in zip(("first", "second", "third"), accepted, strict=True):
            leave = {"session_hash": session, "fn_index": 0, **answer.json()}
            client.post("/gradio_api/cancel", json=leave).raise_for_status()
        until(lambda: not running(small) and not now(small)["waiting"])


def test_sigterm_finishes_two_accepted_jobs_refuses_a_third_and_exits_0(small: Served) -> None:
    heard: list[dict[str, object]] = []

    def speak(client: Client) -> None:
        heard.append(client.predict(text=LINE, api_name="/speak")[2])

    def accepted() -> int:
        reported = now(small)
        return len(reported["running"]) + len(reported["waiting"]) + len(heard)

    threads = [threading.Thread(target=speak, args=(Client(small.url, verbose=False),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: accepted() == 2)
    begin_render(small, lines=300)
    small.process.terminate()
    until(lambda: join(small, "late").status_code == 503)
    assert "shutting down" in join(small, "late").text
    for thread in threads:
        thread.join(PATIENCE_S)
    assert small.process.wait(PATIENCE_S) == 0
    assert [take["cost"]["audio_s"] > 3 for take in heard] == [True, True]  # type: ignore[index]
    documents = [path.read_text("utf-8") for path in small.log.parent.glob("scripts/*/*.json")]
    assert sum(text.count("duration_s") for text in documents) < 100, "a render held up the end"
    assert any('"state":"running"' in text for text in documents)


def begin_render(served: Served, lines: int) -> None:
    with httpx.Client(base_url=served.url) as owner:
        project = owner.post("/studio/projects", json={"name": "Act 2"}).json()["id"]
        address = f"/studio/projects/{project}"
        owner.patch(address, json={"cast": {"": {"": [{"voice": "amber"}]}}}).raise_for_status()
        rows = "\n".join(f"L{number}\tLine number {number} is here." for number in range(lines))
        sheet = owner.post(f"{address}/sheets/paste", json={"text": f"id\ttext\n{rows}\n"}).json()["id"]
        owner.post(f"{address}/render", json={"sheet": sheet}).raise_for_status()


NONSENSE: dict[str, list[object]] = {
    "text": [None, "", 3, [], {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}, "a" * 200_000, "\ud800"],
    "clip_id": [7, "../../etc/passwd", "f" * 64],
    "start_s": ["x", -1, 99, math.nan, 1e308],
    "transcript": [3, "word " * 9_000],
    "engine": [1, "nobody", {}],
    "seed": [2**70, -1, 3.5, math.nan, "7", True],
    "speed": [0, -1, math.inf, "fast"],
    "steps": [0, 10**9, 2.5, []],
    "guidance": [math.nan, 10**400, {}],
}


@pytest.mark.long
def test_nonsense_is_answered_in_one_sentence_without_a_traceback(watched: Served) -> None:
    for name, values in NONSENSE.items():
        for value in values:
            sent = {"text": "Hi there.", "steps": 2} | {name: value}
            said = asked(watched, [sent.get(parameter) for parameter in flat(read_order({}))])
            assert said.startswith("error"), (name, value, said)
            sentence = json.loads(said.partition("data:")[2])["error"]
            assert 20 < len(sentence) < 300 and "Traceback" not in sentence, (name, value, sentence)
    assert asked(watched, ["Hi there."]).startswith("complete")
    nowhere = {"data": [], "fn_index": 99, "session_hash": "x"}
    unknown = httpx.post(f"{watched.url}/gradio_api/queue/join", json=nowhere, timeout=PATIENCE_S)
    assert (unknown.status_code, "reload the page" in unknown.text) == (400, True)
    assert watched.get("/studio/telemetry?series=false")["outcomes"].get("failed", 0) == 0
    assert "Traceback" not in watched.log.read_text()


def asked(served: Served, data: list[object]) -> str:
    """The last event of `/speak`, as programs without a client library hear it."""
    call = f"{served.url}/gradio_api/call/speak"
    body, kind = json.dumps({"data": data}), {"content-type": "application/json"}
    answer = httpx.post(call, content=body, headers=kind, timeout=PATIENCE_S)
    if answer.status_code == 400:  # refused before it was queued
        return "error\ndata: " + json.dumps({"error": answer.json()["detail"]})
    event = answer.json()["event_id"]
    return httpx.get(f"{call}/{event}", timeout=PATIENCE_S).text.rpartition("event: ")[2]


@pytest.mark.long
def test_a_studio_at_rest_leaves_the_processor_to_others(watched: Served) -> None:
    wait_until_loaded(watched)
    process = psutil.Process(watched.process.pid)
    before = process.num_ctx_switches().voluntary
    time.sleep(3.0)
    assert process.num_ctx_switches().voluntary - before < 3 * 150  # Gradio alone wakes some 700 times a second


UNHEARD = {"heard": None, "hearing": False}  # a take is heard at some time after it was made


@pytest.mark.long
def test_a_studio_whose_database_was_lost_starts_with_every_take_and_champion(tmp_path: Path) -> None:
    visitor = {"cookie": f"{COOKIE}={secrets.token_urlsafe(16)}"}

    def kept(client: httpx.Client) -> tuple[object, object, bytes]:
        takes = [{**take, **UNHEARD} for take in client.get("/studio/takes").json()]
        sound = client.get(f"/studio/takes/{takes[0]['id']}/audio.wav").content
        return takes, client.get("/studio/champions").json(), sound

    with serving(tmp_path, STUDIO_ENGINES="f5") as served:
        Client(served.url, verbose=False, headers=visitor).predict(text="Evidence.", api_name="/speak")
        with httpx.Client(base_url=served.url, headers=visitor, timeout=PATIENCE_S) as client:
            take = client.get("/studio/takes").json()[0]["id"]
            answer = client.post("/studio/champions", json={"take": take, "champion": {"id": "ahri"}})
            assert answer.status_code == 200, answer.text
            before = kept(client)
        assert served.stop() == 0
    aged(tmp_path)
    removed(tmp_path)
    with (
        serving(tmp_path, ready_path="/health", STUDIO_ENGINES="f5") as served,
        httpx.Client(base_url=served.url, headers=visitor, timeout=PATIENCE_S) as client,
    ):
        assert kept(client) == before


def test_an_unknown_setting_is_refused_at_start(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="did you mean STUDIO_DEVICE"), serving(tmp_path, STUDIO_DEVISE="cpu"):
        pass


def test_a_data_folder_has_one_studio_and_is_free_when_that_ended(tmp_path: Path) -> None:
    with claimed(tmp_path / "data"), pytest.raises(DataInUse, match="choose another STUDIO_DATA_DIR"):
        claimed(tmp_path / "data")
    with claimed(tmp_path / "data"):
        pass


def test_a_studio_refused_its_data_folder_leaves_no_socket(tmp_path: Path) -> None:
    socket = tmp_path / "studio.sock"
    refused = pytest.raises(AssertionError, match="choose another STUDIO_DATA_DIR")
    with claimed(tmp_path), refused, serving(tmp_path, STUDIO_SOCKET=str(socket)):
        pass
    assert not socket.exists()


def test_a_sheet_is_rendered_by_a_client_into_a_zip_of_files(watched: Served, tmp_path: Path) -> None:
    sheet = tmp_path / "act2.csv"
    sheet.write_text("id,character,text\nA1,Ahri,Hold the gate until dawn.\nA2,Nobody,Never say that again.\n", "utf-8")
    client = Client(watched.url, verbose=False)
    voices = {"Ahri": "amber"}
    zipped, report = client.predict(sheet=handle_file(sheet), voices=voices, api_name="/render")
    with zipfile.ZipFile(zipped) as archive:
        sounds = {name: archive.read(name) for name in archive.namelist() if name.endswith(".wav")}
    assert list(sounds) == ["Ahri/A1_01.wav"]
    assert soundfile.info(io.BytesIO(sounds["Ahri/A1_01.wav"])).samplerate == 48_000
    assert [failed["line"] for failed in report["failed"]] == ["A2"]


@pytest.mark.long
def test_what_an_engine_holds_is_not_searched_for_garbage_until_it_has_left() -> None:
    class Part:
        whole: "Part"

    part = Part()
    part.whole, gone = part, weakref.ref(part)
    try:
        freeze(SchedulerEvent(0.0, "engine", "s1", message="ready"))
        assert gc.get_freeze_count()
        del part
        gc.collect()
        assert gone() is not None
        freeze(SchedulerEvent(1.0, "engine", "s1", message="unloaded"))
        assert gone() is None
    finally:
        gc.unfreeze()
