"""`timestamps`: the times of words for each sentence, as events and over the WebSocket."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.sync.client import connect

from studio.ears.ears import Ears
from studio.hearing.sentence_times import sentence_times
from tests.browser.serving import Served
from tests.studio.programs import Reception, reception_of
from tests.studio.test_speech_report import SAID, take_of
from tests.waiting import PATIENCE_S

SECOND = ["And", "I", "have", "never", "let", "a", "stranger", "pass"]
SPOKEN = ["The first of three sentences.", "The second of three sentences.", "The third of three sentences."]
LINE = "The bridge is out. Take the long way round."


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    found = Ears()
    yield found
    found.close()


def in_order(sentences: list[dict[str, Any]]) -> bool:
    times = [time for one in sentences for word in one["words"] for time in (word["start_s"], word["end_s"])]
    return times == sorted(times)


def spoken(served: Reception | Served, **fields: object) -> list[dict[str, Any]]:
    """The timestamps that a WebSocket sends for a line."""
    with connect(served.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"timestamps": True, **fields}))
        frames = list(iter(lambda: socket.recv(PATIENCE_S), b"__END__"))
    return [json.loads(frame)["timestamps"] for frame in frames if isinstance(frame, str)]


@pytest.mark.long
def test_each_sentence_has_its_words_with_times_in_the_line(ears: Ears) -> None:
    text = SAID.replace(", and", ". And")
    first, second = sentence_times(ears, take_of(text), start_s=10.0)
    assert (first["text"], second["text"]) == (text[: text.index(".") + 1], text[text.index(".") + 2 :])
    assert [word["word"] for word in second["words"]] == SECOND
    assert in_order([first, second]) and 10 <= first["start_s"] < first["end_s"] <= second["start_s"]
    assert second["end_s"] <= 10 + take_of(text).audio.duration_s + 0.001


def test_words_that_cannot_be_placed_are_a_sentence_without_words(ears: Ears) -> None:
    take = take_of("Привет, мир.")
    whole = {"text": "Привет, мир.", "start_s": 1.0, "end_s": round(1 + take.audio.duration_s, 3), "words": []}
    assert sentence_times(ears, take, start_s=1.0) == [whole]
    assert sentence_times(Ears(on=False), take, start_s=1.0) == [whole]


def test_events_name_the_times_after_the_sound(tmp_path_factory: pytest.TempPathFactory) -> None:
    with reception_of(tmp_path_factory.mktemp("times"), ears=False) as opened:
        answer = opened.ask(stream_format="sse", response_format="pcm", timestamps=True, check=True)
        refused = opened.ask(timestamps=True)
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]
    kinds = [event["type"].removeprefix("speech.audio.") for event in events]
    assert kinds[-4:] == ["delta", "timestamps", "report", "done"]
    assert (events[-3]["text"], events[-3]["start_s"], events[-3]["words"]) == ("tick tock", 0.0, [])
    assert (refused.status_code, 'set "stream_format" to "sse"' in refused.json()["detail"]) == (400, True)


def test_a_websocket_sends_times_of_each_sentence_before_the_end(tmp_path_factory: pytest.TempPathFactory) -> None:
    with reception_of(tmp_path_factory.mktemp("times"), ears=False) as opened:
        with connect(opened.url.replace("http", "ws") + "/ws/tts") as socket:
            for text in SPOKEN:
                message = {"text": f"{text} ", "voice": "ahri", "more": text != SPOKEN[-1], "timestamps": True}
                socket.send(json.dumps(message))
            frames = list(iter(lambda: socket.recv(PATIENCE_S), b"__END__"))
        assert spoken(opened, text="tick", voice="ahri", timestamps=False) == []
    times = [json.loads(frame)["timestamps"] for frame in frames if isinstance(frame, str)]
    assert [one["text"] for one in times] == SPOKEN
    assert times[0]["start_s"] == 0.0
    assert [one["start_s"] for one in times[1:]] == [one["end_s"] for one in times[:-1]]


def test_a_spoken_line_has_the_times_of_its_words(speaking_studio: Served) -> None:
    times = spoken(speaking_studio, text=LINE, voice="amber", model="f5", seed=7)
    assert [one["text"] for one in times] == ["The bridge is out.", "Take the long way round."]
    assert [len(one["words"]) for one in times] == [4, 5] and in_order(times)
