"""A text with several voices or rates becomes one take, through each door."""

import io
import json
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import httpx
import numpy as np
import pytest
import soundfile
from websockets.sync.client import connect

from engines.errors import Cancelled, QueueFull
from engines.types import Request
from studio.champion_format.champion import BadChampion
from studio.dialogue import CHANGE_S
from studio.order import read_order
from studio.passages import PASSAGES_MAX
from studio.web.session import COOKIE, session_id_of
from tests.studio.programs import CLICK_S, Reception, reception_of
from tests.waiting import PATIENCE_S, until

SESSION = "designer"
THREE = "[voice:anna]tick[/voice] [voice:ahri]tack[/voice] tock"


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("dialogue")) as opened:
        yield opened


def newest(reception: Reception, number: int) -> list[Request]:
    return list(reception.metronome.requests.values())[-number:]


def spoken_with(request: Request) -> str:
    """The words of the reference, which tell the voices apart."""
    return request.reference.transcript


def test_each_passage_is_spoken_by_its_voice_and_the_audio_is_one_answer(reception: Reception) -> None:
    answer = reception.ask(input=THREE)
    assert answer.status_code == 200, answer.text
    turns = newest(reception, 3)
    assert [turn.text.split() for turn in turns] == [["tick"], ["tack"], ["tock"]]
    anna, ahri, own = map(spoken_with, turns)
    assert (anna, ahri) == ("one two three four five six", own)
    characters = sum(len(turn.text) for turn in turns)
    seconds = characters * CLICK_S + CHANGE_S  # ahri speaks two passages, so the voice changes once
    assert len(answer.content) / 2 / 1000 == pytest.approx(seconds, abs=0.1)


def test_a_take_names_its_segments_and_they_are_kept(reception: Reception) -> None:
    speaking, history = reception.studio.speaking, reception.studio.history
    order = read_order({"text": THREE, "champion": "ahri", "engine": "tick"})
    live = speaking.speak(order, session_id=SESSION)
    assert live.wait(PATIENCE_S)
    take = live.result()
    stored = history.get(SESSION, take.id)
    assert [(one.voice, one.text) for one in stored.segments] == [("anna", "tick"), ("ahri", "tack"), ("", "tock")]
    first, second, third = stored.segments
    assert first.start_s == 0
    assert second.start_s == pytest.approx(first.end_s + CHANGE_S, abs=0.002)
    assert third.end_s == pytest.approx(stored.duration_s, abs=0.002)
    assert stored.cost.total_s > 0
    audio = history.audio(SESSION, take.id)
    gap = audio.samples[round(first.end_s * 1000) : round(second.start_s * 1000)]
    assert not np.any(gap)


def test_a_part_of_a_take_is_played_and_exported_alone(reception: Reception) -> None:
    with httpx.Client(base_url=reception.url, timeout=PATIENCE_S) as designer:
        designer.get("/health")
        session = session_id_of(designer.cookies[COOKIE])
        order = read_order({"text": THREE, "champion": "ahri", "engine": "tick", "seed": 3})
        live = reception.studio.speaking.speak(order, session_id=session)
        assert live.wait(PATIENCE_S)
        take = live.result()
        whole, rate = soundfile.read(io.BytesIO(designer.get(f"/studio/takes/{take.id}/audio.wav").content))
        second = designer.get(f"/studio/takes/{take.id}/audio.wav?segment=1&download=1")
        part, _ = soundfile.read(io.BytesIO(second.content))
        start = round(take.segments[1].start_s * rate)
        assert np.allclose(part, whole[start : start + len(part)], atol=1e-4)
        with zipfile.ZipFile(io.BytesIO(designer.get(f"/studio/takes/{take.id}/segments.zip").content)) as parts:
            names = ["anna-tick-3-tick-tack-tock-01", "ahri-tick-3-tick-tack-tock-02", "ahri-tick-3-tick-tack-tock-03"]
            assert parts.namelist() == [f"{name}.wav" for name in names]
        for place, name in enumerate(names):
            part = designer.get(f"/studio/takes/{take.id}/audio.wav?segment={place}&download=1")
            assert f"{name}.wav" in part.headers["content-disposition"]
        for route in ("audio.wav?download=1", "segments.zip"):
            named = designer.get(f"/studio/takes/{take.id}/{route}").headers["content-disposition"]
            assert "anna-ahri-tick-3-tick-tack-tock" in named
        assert designer.get(f"/studio/takes/{take.id}/audio.wav?segment=3").status_code == 404
        assert designer.get(f"/studio/takes/{take.id}/audio.wav?segment=-1").status_code == 404
        alone = reception.studio.speaking.speak(replace(order, text="tick"), session_id=session)
        assert alone.wait(PATIENCE_S)
        assert designer.get(f"/studio/takes/{alone.result().id}/segments.zip").status_code == 404


def test_the_voice_of_a_text_of_several_voices_is_not_compared_with_the_reference(reception: Reception) -> None:
    speaking = reception.studio.speaking
    texts = {"tick": True, "[voice:nobody]tick[/voice]": True, "[voice:anna]tick[/voice]": False, THREE: False}
    for text, alone in texts.items():
        order = read_order({"text": text, "champion": "ahri", "engine": "tick"})
        assert speaking.uses_reference(order) is alone


def test_a_rate_changes_the_pace_of_whole_sentences(reception: Reception) -> None:
    reception.ask(input="tick tick tick. [rate:1.2]tack tack tack.[/rate]", speed=1.5)
    assert [turn.settings["speed"] for turn in newest(reception, 2)] == [1.5, pytest.approx(1.8)]


def test_an_unknown_voice_is_a_warning_and_the_words_are_spoken(reception: Reception) -> None:
    answer = reception.ask(input="[voice:nobody]tick tack[/voice]")
    assert (answer.status_code, newest(reception, 1)[0].text.split()) == (200, ["tick", "tack"])
    assert answer.headers["x-warning"] == "the voice nobody is unknown, so the voice of the text speaks these words"


def test_the_name_of_a_voice_may_have_capitals(reception: Reception) -> None:
    answer = reception.ask(input="[VOICE:Anna]tick tack[/VOICE]")
    assert (answer.headers.get("x-warning"), spoken_with(newest(reception, 1)[0])) == (
        None,
        "one two three four five six",
    )


def test_a_rate_that_is_not_valid_is_a_warning(reception: Reception) -> None:
    answer = reception.ask(input="[rate:banana]tick tack[/rate]")
    assert answer.headers["x-warning"] == "the rate banana is not valid; write 1.2 or 120%"


@pytest.mark.parametrize(
    ("element", "warning"),
    [
        (
            '<phoneme alphabet="ipa" ph="k&#x2d0;$">Kael</phoneme>',
            "the pronunciation k?$ is ignored: it is missing, too long, or not IPA",
        ),
        ("<phoneme ph=''>Kael</phoneme>", "a <phoneme> is ignored: it is missing, too long, or not IPA"),
        (
            '<phoneme alphabet="x-sampa" ph="kEl">Kael</phoneme>',
            "the pronunciation kEl is ignored: the alphabet x-sampa is not known; write the pronunciation in IPA",
        ),
        ('<phoneme ph="keɪl">Kael</phoneme>', None),
    ],
)
def test_a_pronunciation_that_cannot_be_spoken_is_reported(
    reception: Reception, element: str, warning: str | None
) -> None:
    answer = reception.ask(input=f"Hello {element}.")

    assert (answer.status_code, answer.headers.get("x-warning")) == (200, warning)


def test_a_pause_between_two_voices_takes_the_place_of_the_silence(reception: Reception) -> None:
    text = "[voice:anna]tick[/voice] [pause:1s] [voice:ahri]tack[/voice]"
    order = read_order({"text": text, "champion": "ahri", "engine": "tick"})
    live = reception.studio.speaking.speak(order, session_id=SESSION)
    assert live.wait(PATIENCE_S)
    first, second = live.result().segments
    assert second.start_s == first.end_s


def test_a_text_that_cannot_be_spoken_is_refused_before_its_first_word(reception: Reception) -> None:
    before = len(reception.metronome.requests)
    answer = reception.ask(input="[voice:anna]tick[/voice] [voice:ahri]tack [pause:99s][/voice]")
    assert (answer.status_code, len(reception.metronome.requests)) == (400, before)
    many = "".join(f"[voice:{'anna' if turn % 2 else 'ahri'}]tick[/voice]" for turn in range(PASSAGES_MAX + 1))
    assert reception.ask(input=many).status_code == 400


def test_a_cancelled_text_stops_all_its_voices(reception: Reception) -> None:
    reception.go.clear()
    order = read_order({"text": THREE, "champion": "ahri", "engine": "tick"})
    live = reception.studio.speaking.speak(order, session_id=SESSION)
    until(lambda: len(reception.studio.manager.queue()) > 0)
    live.cancel()
    reception.go.set()
    assert live.wait(PATIENCE_S)
    with pytest.raises(Cancelled):
        live.result()
    until(lambda: not reception.studio.manager.queue())


def test_a_failing_voice_fails_the_whole_text(reception: Reception) -> None:
    answer = reception.ask(input="[voice:anna]tick[/voice] [voice:ahri]bang![/voice]", response_format="flac")
    assert (answer.status_code, "no exclamations" in answer.text) == (400, True)


def test_a_voice_waits_while_the_queue_is_full(reception: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = reception.studio.manager
    submit, full, refused = manager.submit, threading.Event(), threading.Event()

    def crowded(request: Request, **chosen: object) -> object:
        if request.text.split() == ["tack"] and not full.is_set():
            refused.set()
            raise QueueFull("full")
        return submit(request, **chosen)  # type: ignore[arg-type]

    monkeypatch.setattr(manager, "submit", crowded)
    live = reception.studio.speaking.speak(
        read_order({"text": THREE, "champion": "ahri", "engine": "tick"}), session_id=SESSION
    )
    assert refused.wait(PATIENCE_S)
    assert not live.wait(0)
    full.set()
    assert live.wait(PATIENCE_S)
    assert len(live.result().segments) == 3


def test_a_socket_keeps_a_voice_over_sentences(reception: Reception) -> None:
    with connect(reception.url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        first = {"text": "[voice:anna]tick tick tick. ", "voice": "ahri", "more": True, "warnings": True}
        socket.send(json.dumps(first))
        socket.send(json.dumps({"text": "tack tack tack. [voice:nobody]tock.[/voice]"}))
        frames = [socket.recv()]
        while frames[-1] != b"__END__":
            frames.append(socket.recv())
    turns = newest(reception, 3)
    assert [spoken_with(turn) for turn in turns][:2] == ["one two three four five six"] * 2
    said = [json.loads(frame) for frame in frames if isinstance(frame, str)]
    assert said == [{"warning": "the voice nobody is unknown, so the voice of the text speaks these words"}]


def test_the_preview_shows_voices_and_rates_as_performed(reception: Reception) -> None:
    def preview(text: str) -> dict:
        asked = {"text": text, "engine": "tick"}
        return httpx.post(f"{reception.url}/studio/script", json=asked, timeout=PATIENCE_S).json()

    read = preview("[voice:anna]tick[/voice] [rate:1.2]tack[/rate] [voice:nobody]tock[/voice]")
    performed = {each["written"]: each["performed"] for each in read["directions"]}
    assert performed == {
        "[voice:anna]": True, "[/voice]": True, "[rate:1.2]": True, "[/rate]": True, "[voice:nobody]": False,
    }  # fmt: skip
    assert read["voices"] == ["anna", "nobody"]
    assert "the voice nobody is unknown" in read["warning"]
    assert preview("plain words")["voices"] == []


def test_the_estimate_of_a_text_uses_the_pace_of_each_voice(reception: Reception) -> None:
    def estimate_s(text: str, **voice: object) -> float:
        asked = {"text": text, "engine": "tick", **voice}
        return httpx.post(f"{reception.url}/studio/script", json=asked, timeout=PATIENCE_S).json()["estimate_s"]

    words = "tick tack " * 20
    anna_s, ahri_s = estimate_s(f"[voice:anna]{words}[/voice]"), estimate_s(words, champion="ahri")
    assert anna_s != pytest.approx(ahri_s, rel=0.02)
    assert estimate_s(f"[voice:anna]{words}[/voice]", champion="ahri") == pytest.approx(anna_s)
    both = f"{words} [voice:anna]{words}[/voice]"
    assert estimate_s(both, champion="ahri") == pytest.approx(anna_s + ahri_s, rel=0.01)
    assert estimate_s(f"{words} [voice:nobody]{words}[/voice]", champion="ahri") == pytest.approx(2 * ahri_s, rel=0.01)


def test_a_take_of_named_voices_alone_makes_no_champion_of_another_voice(reception: Reception) -> None:
    def kept(text: str) -> str:
        order = read_order({"text": text, "champion": "ahri", "engine": "tick"})
        live = reception.studio.speaking.speak(order, session_id=SESSION)
        assert live.wait(PATIENCE_S)
        return reception.studio.take_voices.get(SESSION, live.result().id).line

    assert kept("[voice:anna]tick[/voice] tack tock") == "tack tock"
    with pytest.raises(BadChampion, match="only voices that the text names"):
        kept("[voice:anna]tick tack[/voice]")
