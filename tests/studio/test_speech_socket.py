"""`/ws/tts` with the official `websockets` client: sound while it is made, text in pieces, cancel, ping, and a slow reader."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from engines.scheduling.ticket import UNREAD_MAX_S
from studio.api.programs import Stream
from studio.api.speech_lines import Line
from studio.api.speech_messages import Message
from studio.web.callers import Caller
from tests.engines.text.counting import CountedText, Looks
from tests.studio.programs import CLICK_S, FEW_STEPS, LINE, SPEECH, Reception, reception_of
from tests.waiting import PATIENCE_S, until

END = b"__END__"
TEXT = "tick tock"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("socket")) as made:
        yield made


@pytest.fixture
def reception(opened: Reception) -> Iterator[Reception]:
    yield opened
    opened.metronome.click_s = CLICK_S
    opened.go.set()
    opened.step_while_go_is_set()
    until(lambda: not opened.studio.manager.queue())


@pytest.fixture
def socket(reception: Reception) -> Iterator[ClientConnection]:
    with dial(reception) as made:
        yield made


def dial(reception: Reception, **how: object) -> ClientConnection:
    return connect(reception.url.replace("http", "ws") + "/ws/tts", max_size=None, compression=None, **how)  # type: ignore[arg-type]


def ask(socket: ClientConnection, **fields: object) -> None:
    socket.send(json.dumps(fields))


def speak(socket: ClientConnection, text: str = TEXT, **fields: object) -> None:
    ask(socket, text=text, voice="ahri", **fields)


def answer(socket: ClientConnection) -> tuple[bytes, list[dict[str, object]]]:
    """Sound and messages up to the end of a line."""
    sound, messages = b"", []
    while (frame := socket.recv(PATIENCE_S)) != END:
        if isinstance(frame, bytes):
            sound += frame
        else:
            messages.append(json.loads(frame))
    return sound, messages


def seconds(sound: bytes) -> float:
    return len(sound) / 2 / 24_000


def test_a_line_comes_as_samples_and_an_end(socket: ClientConnection) -> None:
    speak(socket)
    sound, messages = answer(socket)
    assert (seconds(sound), messages) == (CLICK_S * len(TEXT), [])


def test_sound_comes_before_the_line_is_made(reception: Reception, socket: ClientConnection) -> None:
    reception.go.clear()
    reception.let_steps(FEW_STEPS)
    speak(socket, "x" * 200)
    assert isinstance(socket.recv(PATIENCE_S), bytes) and reception.studio.manager.queue()


def test_no_frame_of_sound_is_empty(reception: Reception, socket: ClientConnection) -> None:
    reception.metronome.click_s = 0.01  # shorter than the delay of the resampler
    speak(socket)
    frames = []
    while (frame := socket.recv(PATIENCE_S)) != END:
        frames.append(frame)
    assert frames and all(frames)


def test_sound_may_come_as_text(socket: ClientConnection) -> None:
    speak(socket, encoding="base64")
    sound = b""
    while (frame := socket.recv(PATIENCE_S)) != END.decode():
        sound += base64.b64decode(frame)
    assert seconds(sound) == CLICK_S * len(TEXT)


def test_text_in_pieces_is_spoken_from_its_first_whole_sentence(reception: Reception, socket: ClientConnection) -> None:
    said = []
    for piece in ("The first sent", "ence is here. And the sec"):
        speak(socket, piece, more=True)
    assert isinstance(socket.recv(PATIENCE_S), bytes)
    said = [request.text for request in reception.metronome.requests.values()][-1:]
    speak(socket, "ond. The third", more=True)
    speak(socket, " one.")
    answer(socket)
    said += [request.text for request in reception.metronome.requests.values()][-2:]
    assert [text.strip() for text in said] == ["The first sentence is here.", "And the second.", "The third one."]


def test_a_stage_direction_between_sentences_goes_with_the_next_one_and_is_no_line(
    reception: Reception, socket: ClientConnection
) -> None:
    pieces = ("(laughs softly.) ", "The first sentence is here. ", "(coughs quietly, then laughs.) ")
    for piece in pieces:
        speak(socket, piece, more=piece != pieces[-1])
    assert answer(socket)[1] == []
    said = [request.text.strip() for request in reception.metronome.requests.values()]
    assert said[-1:] == ["(laughs softly.) The first sentence is here."]


def test_each_character_of_a_text_in_many_pieces_is_read_once() -> None:
    looks = Looks()
    line = Line(Message(), Stream(Caller("ann")), lambda text: bool(text.strip()))
    for piece in [". " * 2_450, *["a"] * 61]:
        line.add(CountedText(piece, looks), more=True)
    assert looks.count == 4_900 + 61


def test_a_cancelled_line_ends_at_once_and_the_next_is_spoken(reception: Reception, socket: ClientConnection) -> None:
    reception.go.clear()
    reception.let_steps(FEW_STEPS)
    speak(socket, "x" * 200)
    socket.recv(PATIENCE_S)
    ask(socket, cancel=True)
    ask(socket, ping="read")
    while isinstance(socket.recv(PATIENCE_S), bytes):
        pass
    reception.go.set()
    sound, messages = answer(socket)
    assert (seconds(sound) < CLICK_S * 100, messages) == (True, [])
    until(lambda: not reception.studio.manager.queue())
    speak(socket)
    assert seconds(answer(socket)[0]) == CLICK_S * len(TEXT)


def test_a_line_whose_text_goes_on_can_be_cancelled(socket: ClientConnection) -> None:
    speak(socket, "This never", more=True)
    ask(socket, cancel=True)
    assert answer(socket) == (b"", [])


def test_a_ping_is_answered_while_a_line_is_spoken(reception: Reception, socket: ClientConnection) -> None:
    reception.go.clear()
    speak(socket)
    ask(socket, ping=3)
    assert json.loads(socket.recv(PATIENCE_S)) == {"pong": 3}


def test_a_piece_too_many_is_refused_and_the_line_can_still_be_ended(socket: ClientConnection) -> None:
    speak(socket, TEXT, more=True)
    speak(socket, "x" * 5_000)
    assert json.loads(socket.recv(PATIENCE_S))["code"] == "bad_message"
    speak(socket, "")
    assert seconds(answer(socket)[0]) == CLICK_S * len(TEXT)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("nonsense", "bad_message"),
        ("[" * 99_999, "bad_message"),
        ('{"text": 3}', "bad_message"),
        (json.dumps({"text": "x" * 5_001}), "bad_message"),
    ],
)
def test_what_is_no_message_is_told_and_the_connection_lives(socket: ClientConnection, frame: str, code: str) -> None:
    socket.send(frame)
    problem = json.loads(socket.recv(PATIENCE_S))
    assert (problem["code"], len(problem["detail"]) > 20, socket.recv(PATIENCE_S)) == (code, True, b"__END__")
    speak(socket)
    assert seconds(answer(socket)[0]) == CLICK_S * len(TEXT)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"text": TEXT}, "bad_setting"),
        ({"text": TEXT, "voice": "nobody"}, "unknown_champion"),
        ({"text": TEXT, "voice": "ahri", "sped": 2}, "bad_setting"),
        ({"text": "", "voice": "ahri"}, "bad_text"),
        ({"text": " \n\t ", "voice": "ahri"}, "bad_text"),
        ({"text": "tick!", "voice": "ahri"}, "bad_text"),
    ],
)
def test_what_cannot_be_spoken_is_told_before_the_end(
    socket: ClientConnection, fields: dict[str, object], code: str
) -> None:
    ask(socket, **fields)
    sound, messages = answer(socket)
    assert (sound, [message["code"] for message in messages]) == (b"", [code])


def test_text_in_pieces_without_a_word_is_refused_once(socket: ClientConnection) -> None:
    for piece, more in ((" ", True), ("\n\n", True), ("  ", False)):
        speak(socket, piece, more=more)
    sound, messages = answer(socket)
    assert (sound, [message["code"] for message in messages]) == (b"", ["bad_text"])


def test_white_space_at_the_end_of_a_text_is_not_refused(socket: ClientConnection) -> None:
    for piece, more in (("A tick. ", True), (" ", True), ("", False)):
        speak(socket, piece, more=more)
    shown = answer(socket)[1]
    assert not shown, shown[0]["detail"]


@pytest.mark.parametrize(
    ("frame", "code", "says"),
    [
        (
            json.dumps({"text": TEXT, "voice": "\ud800", "errors": "close"}),
            4400,
            "voice: Input should be a valid string",
        ),
        (json.dumps({"text": TEXT, "voice": "nobody", "errors": "close"}), 4404, "champion nobody not found"),
        (json.dumps({"text": " ", "voice": "ahri", "errors": "close"}), 4400, "this text has no words"),
        (json.dumps({"text": 3, "errors": "close"}), 4400, "text: Input should be a valid string"),
    ],
)
def test_an_error_closes_the_connection_of_a_client_that_reads_only_bytes(
    socket: ClientConnection, frame: str, code: int, says: str
) -> None:
    socket.send(frame)
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(PATIENCE_S)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, says in closed.value.rcvd.reason) == (code, True), closed.value.rcvd


def test_errors_close_the_connection_from_the_requesting_message_on(socket: ClientConnection) -> None:
    speak(socket, errors="close")
    assert seconds(answer(socket)[0]) == CLICK_S * len(TEXT)
    socket.send("nonsense")
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(PATIENCE_S)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4400


def test_a_long_reason_is_cut_between_characters(socket: ClientConnection) -> None:
    ask(socket, text=TEXT, voice="ü" * 90, errors="close")
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(PATIENCE_S)
    assert closed.value.rcvd is not None
    assert 120 <= len(closed.value.rcvd.reason.encode()) <= 123


def test_a_slow_reader_pauses_its_own_line_alone(reception: Reception, socket: ClientConnection) -> None:
    reception.metronome.click_s = UNREAD_MAX_S
    with dial(reception, max_queue=1, close_timeout=0) as slow:
        speak(slow, "x" * 400)  # hours of sound, of which nobody reads any
        until(lambda: paused(reception))
        assert len(list(reception.metronome.jobs.values())) > 0 and min(reception.metronome.jobs.values()) < 400
    until(lambda: not reception.studio.manager.queue())
    assert reception.metronome.jobs == {}


def paused(reception: Reception) -> bool:
    """Whether a request runs whose sound nobody takes."""
    return any(ticket.buffer_full for ticket in reception.studio.manager._scheduler._queue.running())


def test_a_client_that_leaves_frees_the_device(reception: Reception) -> None:
    reception.go.clear()
    reception.let_steps(FEW_STEPS)
    with dial(reception) as leaver:
        speak(leaver, "x" * 200)
        leaver.recv(PATIENCE_S)
    reception.go.set()
    until(lambda: not reception.studio.manager.queue())
    assert reception.metronome.jobs == {}


def test_without_a_key_the_connection_is_closed_in_words(tmp_path: Path) -> None:
    key = "0123456789abcdef"
    with reception_of(tmp_path, api_keys=f"game:{key}") as opened:
        with dial(opened) as stranger, pytest.raises(ConnectionClosed) as closed:
            stranger.recv(PATIENCE_S)
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, "an API key is missing or wrong" in closed.value.rcvd.reason) == (4401, True)
        with dial(opened, additional_headers={"authorization": f"Bearer {key}"}) as known:
            speak(known)
            assert seconds(answer(known)[0]) == CLICK_S * len(TEXT)
        assert httpx.post(f"{opened.url}{SPEECH}", json=LINE).status_code == 401


def test_a_studio_that_drains_finishes_the_line_that_is_spoken_and_takes_no_other(tmp_path: Path) -> None:
    with reception_of(tmp_path) as opened, dial(opened) as socket:
        opened.go.clear()
        speak(socket)
        until(lambda: bool(opened.studio.manager.queue()))
        opened.drain.close()
        speak(socket)
        opened.go.set()
        sound, shown = answer(socket)
        assert (len(sound) / 2 / 24_000, shown) == (CLICK_S * len(TEXT), [])
        sound, (shown,) = answer(socket)
        assert (sound, shown["code"]) == (b"", "closing")
