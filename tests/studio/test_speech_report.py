"""`check` of a speech request: the studio hears the line, and its answer says which words are kept."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
import soundfile

from engines.types import Audio, Cost, Reference, Request, Segment, Take
from studio.ears.ears import Ears
from studio.hearing.heard_take import HEARD_WITHOUT_WORDS
from studio.hearing.sentence_times import sentence_times
from studio.hearing.speech_report import HEADER_BYTES, as_header, report_on
from tests.studio.house import ENGINE
from tests.studio.programs import Reception, reception_of
from tests.studio.test_openai import CLICK_S, FORMATS, PADDING_S, TEXT, duration_s
from tests.waiting import PATIENCE_S

VOICES = Path(__file__).parents[2] / "assets" / "voices" / "references"
REPORT = "x-speech-report"
MEMBERS = ["complete", "kept", "missing", "misheard", "added", "unsure", "faults", "message"]


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("report")) as opened:
        yield opened


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    found = Ears()
    yield found
    found.close()


def take_of(text: str) -> Take:
    """A take of a text in which a shipped clip is heard."""
    samples, rate = soundfile.read(VOICES / "basil.flac", dtype="float32")
    sound = Audio(samples, rate)
    request = Request(text=text, reference=Reference(sound, "said"), seed=1, engine=ENGINE)
    cost = Cost(queued_s=0.0, ttfa_s=0.1, total_s=0.2, compute_s=0.2, audio_s=sound.duration_s)
    return Take(audio=sound, request=request, cost=cost, checkpoint="brass")


SAID = "I have guarded this gate for thirty winters, and I have never let a stranger pass."


@pytest.mark.parametrize(
    ("text", "complete", "kept", "missing", "added"),
    [
        (SAID, True, 16, [], []),
        (SAID.replace("thirty", "30"), True, 16, [], []),
        (SAID.replace("guarded this", "guarded this ancient stone"), False, 16, ["ancient", "stone"], []),
        (SAID.replace("this gate for ", "for "), False, 14, [], ["this", "gate"]),
    ],
)
def test_words_are_kept_missing_or_added(
    ears: Ears, text: str, complete: bool, kept: int, missing: list[str], added: list[str]
) -> None:
    report = json.loads(as_header(report_on(ears, take_of(text))))
    words = {name: [one["word"] for one in report[name]] for name in ("missing", "added")}
    assert (report["complete"], report["kept"]) == (complete, kept), report
    assert words == {"missing": missing, "added": added}


def dialogue() -> Take:
    """A take in which two voices say the same sentence, and nothing is between the tags of the voices."""
    part = take_of(SAID)
    gap_s, length_s = 0.25, part.audio.duration_s
    gap = np.zeros(round(gap_s * part.audio.sample_rate), np.float32)
    audio = Audio(np.concatenate((part.audio.samples, gap, part.audio.samples)), part.audio.sample_rate)
    starts = (0.0, length_s + gap_s)
    segments = tuple(Segment("basil", SAID, start_s, start_s + length_s) for start_s in starts)
    request = replace(part.request, text=f"[voice:basil]{SAID}[/voice][voice:basil]{SAID}[/voice]")
    return replace(part, request=request, audio=audio, segments=segments)


def test_each_voice_of_a_take_is_heard_alone(ears: Ears) -> None:
    take = dialogue()
    report = report_on(ears, take)
    assert (report["complete"], report["kept"], report["added"]) == (True, 32, [])
    first, second = report["words"][:16], report["words"][16:]
    moved = take.segments[1].start_s
    assert [one["start_s"] for one in second] == pytest.approx([one["start_s"] + moved for one in first], abs=0.002)
    sentences = sentence_times(ears, take)
    assert [one["text"] for one in sentences] == [SAID, SAID]
    assert sentences[0]["end_s"] <= take.segments[0].end_s < take.segments[1].start_s <= sentences[1]["start_s"]


def test_a_word_that_one_voice_lacks_has_its_place_in_the_whole_text(ears: Ears) -> None:
    take = dialogue()
    last = replace(take.segments[1], text=SAID.replace("guarded this", "guarded this ancient"))
    report = report_on(ears, replace(take, segments=(take.segments[0], last)))
    assert (report["complete"], [(one["word"], one["index"]) for one in report["missing"]]) == (
        False,
        [("ancient", 20)],
    )


def test_a_header_is_short_ascii_and_counts_what_it_leaves_out() -> None:
    found = [{"word": "größer\n", "index": 7, "start_s": 0.125, "end_s": 0.25, "heard": "Ω", "evidence": 1.0}] * 500
    report = {**HEARD_WITHOUT_WORDS, "complete": False, "kept": 3, "missing": found, "message": "ü" * 900}
    header = as_header(report)
    read = json.loads(header)
    assert header.isascii() and header.isprintable() and len(header) <= HEADER_BYTES
    assert len(read["missing"]) + read["left_out"] == 500 and read["missing"]
    huge = as_header({**report, "missing": [{"word": "x" * 5_000}]})
    assert (len(huge) <= HEADER_BYTES, json.loads(huge)["left_out"]) == (True, 1)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_complete_and_has_a_report(reception: Reception, format: Any) -> None:
    with openai.OpenAI(base_url=f"{reception.url}/v1", api_key="none", max_retries=0, timeout=PATIENCE_S) as client:
        answer = client.audio.speech.with_raw_response.create(
            model=ENGINE, voice="ahri", input=TEXT, response_format=format, extra_body={"check": True}
        )
    assert duration_s(answer.content, format) == pytest.approx(CLICK_S * len(TEXT), abs=PADDING_S)
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert list(json.loads(answer.headers[REPORT])) == MEMBERS


def test_events_have_a_report_after_the_sound(reception: Reception) -> None:
    answer = reception.ask(stream_format="sse", response_format="pcm", check=True)
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line]
    assert [event["type"] for event in events[-3:]] == [
        "speech.audio.delta",
        "speech.audio.report",
        "speech.audio.done",
    ]
    assert set(events[-2]["report"]) == {*MEMBERS, "words", "transcript"}
    assert REPORT not in answer.headers


def lacking(*words: str) -> dict[str, Any]:
    return {**HEARD_WITHOUT_WORDS, "complete": not words, "missing": [{"word": word, "index": 0} for word in words]}


@pytest.mark.parametrize("how", [{}, {"stream_format": "sse"}])
@pytest.mark.parametrize(
    ("heard", "takes", "best"),
    [
        ([lacking("tick"), lacking()], 2, 1),
        ([lacking("tick"), lacking("tick", "tock"), lacking("tick")], 3, 0),
        ([lacking("tick", "tock"), lacking("tick"), lacking("tick", "tock")], 3, 1),
        ([{**lacking(), "complete": None}], 1, 0),
    ],
)
def test_takes_are_made_until_one_is_complete_and_the_best_is_sent(
    reception: Reception,
    monkeypatch: pytest.MonkeyPatch,
    heard: list[dict[str, Any]],
    takes: int,
    best: int,
    how: dict[str, str],
) -> None:
    made: list[Request] = []

    def ask(ears: Ears, task: object, text: str, audio: Audio, language: str, segments: object) -> dict[str, Any]:
        made.append(list(reception.metronome.requests.values())[-1])
        return heard[len(made) - 1]

    monkeypatch.setattr(Ears, "ask", ask)
    answer = reception.ask(complete=3, seed=7, response_format="wav", **how)
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n") if line] if how else []
    report = events[-2]["report"] if how else json.loads(answer.headers[REPORT])
    assert (report["takes"], len(made)) == (takes, takes)
    assert report["missing"] == heard[best]["missing"]
    assert made[0].seed == 7 and answer.headers["x-seed"] == str(made[best].seed)
    assert len({request.seed for request in made}) == takes


def test_a_number_of_takes_that_is_not_made_is_refused(reception: Reception) -> None:
    assert [reception.ask(complete=number).status_code for number in (0, 9)] == [422, 422]


def test_without_check_no_line_is_heard(tmp_path: Path) -> None:
    with reception_of(tmp_path) as opened:
        answers = [opened.ask(), opened.ask(stream_format="sse"), opened.ask(check=False)]
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        assert opened.studio.ears.pids == ()
    assert not any(REPORT in answer.headers or "report" in answer.text for answer in answers)


def test_invocations_have_a_report_too(reception: Reception) -> None:
    asked = {"input": TEXT, "voice": "ahri", "check": True}
    answer = reception.program.post("/invocations", json=asked)
    assert (answer.status_code, list(json.loads(answer.headers[REPORT]))) == (200, MEMBERS)


def test_a_line_is_spoken_if_the_ears_are_off(tmp_path: Path) -> None:
    with reception_of(tmp_path, ears=False) as opened:
        answer = opened.ask(check=True)
    report = json.loads(answer.headers[REPORT])
    assert (answer.status_code, report["complete"], "STUDIO_EARS" in report["message"]) == (200, None, True)
    assert answer.content[:4] == b"RIFF"


def test_a_refused_line_has_its_problem_and_no_report(reception: Reception) -> None:
    answer = reception.ask(input="stop!", check=True)
    assert (answer.status_code, answer.json()["code"], REPORT in answer.headers) == (400, "bad_text", False)


def test_the_description_names_the_report(reception: Reception) -> None:
    route = reception.program.get("/openapi.json").json()["paths"]["/v1/audio/speech"]["post"]
    assert REPORT in route["responses"]["200"]["headers"]
