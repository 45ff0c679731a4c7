"""Takes are heard after they are finished: by real ears, in real short takes."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from engines.types import Audio, Cost, Reference, Request, Take
from studio.ears.ears import Ears
from studio.hearing.service import TakeHearing
from studio.history import History, StoredTake
from studio.order import Order, read_order
from studio.settings import Settings
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web
from tests.waiting import until

VOICES = Path(__file__).parents[3] / "assets" / "voices" / "references"
SESSION = "ann-of-an-earlier-time"
SAID = (VOICES / "amber.txt").read_text("utf-8").strip()


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    found = Ears()
    yield found
    found.close()


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    found = History(tmp_path)
    yield found
    found.close()


def kept(
    history: History,
    text: str = SAID,
    audio: Audio | None = None,
    session_id: str = SESSION,
    design: str = "",
    language: str = "",
) -> StoredTake:
    """A take of this text whose audio is a clip of a person."""
    samples, rate = soundfile.read(VOICES / "amber.flac", dtype="float32")
    sound = audio or Audio(samples, rate)
    order: Order = read_order(
        {
            "engine": "tick",
            "text": text,
            "seed": 1,
            "clip_id": "x",
            "transcript": "y",
            "design": design,
            "language": language,
        }
    )
    request = Request(text=text, reference=Reference(sound, "y"), seed=1, engine="tick")
    cost = Cost(queued_s=0.0, ttfa_s=0.1, total_s=0.2, compute_s=0.2, audio_s=sound.duration_s)
    return history.add(session_id, order, Take(audio=sound, request=request, cost=cost, checkpoint="brass"))


def heard(history: History, hearing: TakeHearing, take: StoredTake) -> StoredTake:
    assert hearing.add(take)
    until(lambda: not hearing.waits(take.id))
    return history.get(take.session_id, take.id)


def test_all_words_of_a_complete_take_are_heard(ears: Ears, history: History) -> None:
    found = heard(history, TakeHearing(ears, history), kept(history)).heard
    assert found is not None and found["complete"] is True
    assert len(found["words"]) == len(SAID.split())


def test_the_words_of_a_take_in_another_language_are_not_compared(ears: Ears, history: History) -> None:
    found = heard(history, TakeHearing(ears, history), kept(history, language="de")).heard
    assert found is not None and (found["complete"], found["words"]) == (None, [])
    assert "knows only English" in found["message"]


def test_a_word_that_was_not_spoken_is_missing(ears: Ears, history: History) -> None:
    first, *rest = SAID.split()
    found = heard(history, TakeHearing(ears, history), kept(history, " ".join([first, "elephant", *rest]))).heard
    assert found is not None and found["complete"] is False
    assert [one["word"] for one in found["missing"]] == ["elephant"]


@pytest.mark.parametrize(
    ("text", "seconds", "complete"), [("Привет, мир.", 0.0, None), (SAID, 2.0, False), ("[laughs] ...", 0.0, None)]
)
def test_a_take_that_cannot_be_compared_says_why(
    ears: Ears, history: History, text: str, seconds: float, complete: bool | None
) -> None:
    silence = Audio(np.zeros(int(seconds * 24_000), np.float32), 24_000) if seconds else None
    found = heard(history, TakeHearing(ears, history), kept(history, text, silence)).heard
    assert found is not None and found["complete"] is complete and found["message"]


@pytest.mark.parametrize("text", ["Behind you!", "Stop.", "Well tick tock."])
def test_noise_is_not_a_complete_take(ears: Ears, history: History, text: str) -> None:
    noise = Audio(0.1 * np.random.default_rng(1).standard_normal(72_000).astype(np.float32), 24_000)
    found = heard(history, TakeHearing(ears, history), kept(history, text, noise)).heard
    assert found is not None and not found["complete"]
    assert found["missing"] or found["misheard"] or "no word of the take is heard clearly" in found["message"]


def test_what_was_heard_survives_the_loss_of_the_database(ears: Ears, tmp_path: Path) -> None:
    history = History(tmp_path)
    take = heard(history, TakeHearing(ears, history), kept(history))
    history.close()
    for file in tmp_path.glob("studio.sqlite*"):
        file.unlink()
    again = History(tmp_path)
    assert again.get(SESSION, take.id).heard == take.heard
    again.close()


def test_a_take_that_is_deleted_meanwhile_is_heard_and_can_be_restored(ears: Ears, history: History) -> None:
    busy = threading.Event()
    busy.set()
    hearing = TakeHearing(ears, history, busy=busy.is_set)
    take = kept(history)
    hearing.add(take)
    history.delete(SESSION, take.id)
    busy.clear()
    until(lambda: not hearing.waits(take.id))
    assert history.list(SESSION) == []
    assert history.restore(SESSION, take.id).id == take.id


def test_a_take_that_is_erased_meanwhile_leaves_the_next_one_heard(ears: Ears, history: History) -> None:
    busy = threading.Event()
    busy.set()
    hearing = TakeHearing(ears, history, busy=busy.is_set)
    gone, next_one = kept(history), kept(history)
    hearing.add(gone)
    history.erase([one for one in history.kept([SESSION]) if one.id == gone.id])
    busy.clear()
    assert heard(history, hearing, next_one).heard is not None


def test_a_take_waits_while_an_engine_speaks(ears: Ears, history: History) -> None:
    asked, busy = threading.Event(), threading.Event()
    busy.set()

    def speaks() -> bool:
        asked.set()
        return busy.is_set()

    hearing = TakeHearing(ears, history, busy=speaks)
    take = kept(history)
    hearing.add(take)
    asked.wait()
    assert hearing.waits(take.id) and history.get(SESSION, take.id).heard is None
    hearing.close()
    until(lambda: not hearing.waits(take.id))
    assert history.get(SESSION, take.id).heard is None  # closing leaves the take unheard


def test_ears_that_are_off_hear_no_take(history: History) -> None:
    hearing = TakeHearing(Ears(on=False), history)
    assert not hearing.add(kept(history))


@pytest.mark.long
def test_a_take_of_before_is_heard_when_someone_asks(tmp_path: Path) -> None:
    with (
        studio_of(tmp_path, Metronome(), settings=Settings(data_dir=tmp_path / "data")) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, cookies={COOKIE: SESSION}, timeout=300.0) as client,
    ):
        take = kept(studio.history, session_id=session_id_of(SESSION))
        assert client.get("/studio/takes").json()[0]["heard"] is None
        assert client.post(f"/studio/takes/{take.id}/hear").json()["hearing"] is True
        until(lambda: client.get("/studio/takes").json()[0]["heard"] is not None)
        (listed,) = client.get("/studio/takes").json()
        assert listed["heard"]["complete"] is True and "words" not in listed["heard"]
        heard = client.get(f"/studio/takes/{take.id}/heard").json()
        assert heard["words"][0]["start_s"] >= 0.0
        client.delete(f"/studio/takes/{take.id}")
        late = [client.get(f"/studio/takes/{take.id}/{part}") for part in ("heard", "loudness")]  # after the deletion
        assert [answer.status_code for answer in late] == [200, 200]
        assert late[0].json() == heard


def test_a_spoken_take_is_heard_without_being_asked_for(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(), hears=True) as studio:
        voice = studio.session_clips.samples()[0]
        order = {"engine": "tick", "text": "Hello there.", "clip_id": voice.clip_id, "end_s": 4.0}
        performance = studio.speaking.speak(read_order({**order, "transcript": voice.transcript}), session_id=SESSION)
        assert performance.wait(60.0)
        take = performance.result()
        until(lambda: not studio.hearing.waits(take.id))
        assert studio.history.get(SESSION, take.id).heard is not None


def babble(seconds: float) -> Audio:
    """The clip of a person, and another part of it after its text."""
    samples, rate = soundfile.read(VOICES / "amber.flac", dtype="float32")
    other, _ = soundfile.read(VOICES / "basil.flac", dtype="float32")
    return Audio(np.concatenate([samples, other[: round(seconds * rate)]]), rate)


def test_a_take_that_ran_away_is_made_again_once_and_both_have_a_note(ears: Ears, history: History) -> None:
    made: list[StoredTake] = []

    def again(take: StoredTake) -> StoredTake:
        made.append(kept(history, audio=babble(2.5)))
        return made[-1]

    hearing = TakeHearing(ears, history, again=again)
    first = heard(history, hearing, kept(history, audio=babble(2.5)))
    (second,) = made
    then = heard(history, hearing, second)
    assert first.heard and first.heard["faults"][0]["name"] == "runaway"
    assert first.heard["note"] == "The studio made another take because of a fault in this one."
    assert then.heard and then.heard["note"].endswith("The take goes on after the text.")
    assert len(made) == 1


def test_a_take_that_ran_away_beside_another_one_is_not_made_again(ears: Ears, history: History) -> None:
    made: list[StoredTake] = []
    kept(history)
    first = heard(history, TakeHearing(ears, history, again=made.append), kept(history, audio=babble(2.5)))
    assert first.heard and first.heard["faults"] and "note" not in first.heard and not made


def test_a_designed_take_that_ran_away_is_not_made_again(ears: Ears, history: History) -> None:
    made: list[StoredTake] = []
    take = kept(history, audio=babble(2.5), design="male low high")
    first = heard(history, TakeHearing(ears, history, again=made.append), take)
    assert first.heard and first.heard["faults"] and not made


def test_a_complete_take_is_not_made_again(ears: Ears, history: History) -> None:
    made: list[StoredTake] = []
    heard(history, TakeHearing(ears, history, again=made.append), kept(history))
    assert not made


def test_a_take_is_spoken_again_with_another_seed(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        voice = studio.session_clips.samples()[0]
        order = {"engine": "tick", "text": "Hello there.", "clip_id": voice.clip_id, "end_s": 4.0, "seed": 3}
        performance = studio.speaking.speak(read_order({**order, "transcript": voice.transcript}), session_id=SESSION)
        assert performance.wait(60.0)
        further = studio.speaking.speak_again(performance.result(), 60.0)
        assert further and further.order.seed != 3 and further.order.text == "Hello there."
        assert len(studio.history.list(SESSION)) == 2
