"""`python app.py` as a service: it asks nobody outside, notices who left, and goes when it is told, finishing its work."""

import json
import threading
import time
from pathlib import Path

import httpx
import pytest
from gradio_client import Client

from tests.browser.serving import Served, serving
from tests.engines.test_manager import until

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
    return len(served.get("/studio/telemetry?series=false")["running"])


def join(served: Served, session: str, cookies: httpx.Cookies | None = None) -> httpx.Response:
    """Queue LINE as a page does."""
    data = [LINE, "", 0, 0, "", "f5", 1, 1.0, None, None]
    body = {"data": data, "fn_index": 0, "session_hash": session, "trigger_id": None}
    return httpx.post(f"{served.url}/gradio_api/queue/join", json=body, cookies=cookies, timeout=10)


def test_nothing_outside_is_asked_at_start_or_while_speaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    outside = tmp_path / "outside"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("OUTSIDE", str(outside))
    with serving(tmp_path / "data") as served:
        _, audio, take = Client(served.url, verbose=False).predict(text="The bridge is out.", api_name="/speak")
        assert Path(audio).stat().st_size > 10_000 and take["cost"]["audio_s"] > 0.5
    assert not outside.exists(), outside.read_text()


def test_a_client_that_leaves_frees_the_lane(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert join(served, "leaver").status_code == 200
        with httpx.stream("GET", f"{served.url}/gradio_api/queue/data?session_hash=leaver", timeout=30) as events:
            for line in events.iter_lines():
                if "process_generating" in line and running(served) == 1:
                    break
        until(lambda: running(served) == 0, 4)
        assert served.get("/studio/telemetry")["outcomes"]["cancelled"] == 1


def test_sigterm_finishes_two_accepted_jobs_refuses_a_third_and_exits_0(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        heard: list[dict[str, object]] = []

        def speak(client: Client) -> None:
            heard.append(client.predict(text=LINE, api_name="/speak")[2])

        threads = [threading.Thread(target=speak, args=(Client(served.url, verbose=False),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        until(lambda: running(served) == 1, 20)
        time.sleep(1.0)  # the second waits in Gradio's queue by now
        served.process.terminate()
        until(lambda: join(served, "late").status_code == 503, 5)
        assert "shutting down" in join(served, "late").text
        for thread in threads:
            thread.join(60)
        assert served.process.wait(30) == 0
        assert [take["cost"]["audio_s"] > 3 for take in heard] == [True, True]  # type: ignore[index]


def test_latency_on_the_strip_agrees_with_a_stopwatch(tmp_path: Path) -> None:
    """The stopwatch runs from the request to the first and to the last byte of sound at a client that streams."""
    with serving(tmp_path) as served, httpx.Client(base_url=served.url, timeout=30) as client:
        client.get("/health")  # its session, so that the sound is its own
        started = time.monotonic()
        join(served, "watch", client.cookies)
        with client.stream("GET", "/gradio_api/queue/data?session_hash=watch") as events:
            lines = events.iter_lines()
            told = next(line for line in lines if "process_generating" in line)
            id = json.loads(told.removeprefix("data:"))["output"]["data"][0]["id"]
            with client.stream("GET", f"/studio/live/{id}.pcm") as sound:
                arrived_s = [time.monotonic() - started for _ in sound.iter_raw()]
        strip = served.get("/studio/telemetry")
        assert strip["latency_s"]["p50"] == pytest.approx(arrived_s[-1], rel=0.05)
        assert strip["ttfa_s"]["p50"] == pytest.approx(arrived_s[0], rel=0.05)


def test_an_unknown_setting_is_refused_at_start(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="did you mean STUDIO_DEVICE"), serving(tmp_path, STUDIO_DEVISE="cpu"):
        pass
