"""Lines come to speak for as long as their sheet wants."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from engines.errors import BadSetting
from engines.f5.spec import SPEC as F5
from engines.s1.spec import SPEC as S1
from engines.types import Audio, Cost, Reference, Request, Segment, Take
from studio.order import Order
from studio.script.format.length_limit import LengthLimit, missed, read_limit
from studio.script.stretching import spoken_s, stretched
from studio.script.timing import ATTEMPTS, fitted

RATE = 24_000
HERTZ = 220.0
NATURAL_S = 3.0
ORDER = Order(text="words", clip_id="", start_s=0, end_s=0, transcript="")


def sound(speech_s: float) -> Audio:
    """A tone as long as that, silence at its edges, at a level that moves as speech does."""
    times = np.arange(round(speech_s * RATE)) / RATE
    tone = np.sin(2 * np.pi * HERTZ * times) * (0.3 + 0.1 * np.sin(2 * np.pi * 4 * times))
    edges = np.zeros(round(0.03 * RATE)), np.zeros(round(0.15 * RATE))
    return Audio(np.concatenate((edges[0], tone, edges[1])).astype(np.float32), RATE)


def take(order: Order, speech_s: float) -> Take:
    audio = sound(speech_s)
    request = Request(
        engine="f5", text=order.text, reference=Reference(audio, "words"), seed=1, settings=order.settings
    )
    return Take(request, audio, Cost(queued_s=0, ttfa_s=0, total_s=0, compute_s=0, audio_s=0), "tone")


def fit(cell: str, lasts: Callable[[float], float], order: Order = ORDER, engine=F5) -> tuple[Take, list[float]]:
    """The take that was kept, and the pace of every attempt, by a voice that lasts so long at a pace."""
    making, paces = fitted(order, cell, engine.settings), []
    asked = next(making)
    while True:
        paces.append(asked.settings.get("speed", 1.0))
        try:
            asked = making.send(take(asked, lasts(paces[-1])))
        except StopIteration as ended:
            return ended.value, paces


@pytest.mark.parametrize("share", [0.8, 0.9, 1.1, 1.25])
def test_an_engine_that_keeps_its_pace_needs_one_more_attempt_and_no_stretching(share: float) -> None:
    kept, paces = fit(f"={NATURAL_S * share}", lambda pace: NATURAL_S / pace)

    assert len(paces) == 2
    assert spoken_s(kept.audio) == pytest.approx(NATURAL_S * share, abs=0.01)
    assert kept.request.settings["speed"] == pytest.approx(1 / share, abs=0.005)


@pytest.mark.parametrize("share", [0.8, 0.9, 1.1, 1.25])
@pytest.mark.parametrize("seed", range(5))
def test_an_engine_that_keeps_its_pace_roughly_is_within_50_ms_after_at_most_four_attempts(
    share: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)

    kept, paces = fit(f"={NATURAL_S * share}", lambda pace: NATURAL_S / pace**0.7 * draw.uniform(0.93, 1.07))

    assert len(paces) <= ATTEMPTS
    natural_s = NATURAL_S * np.random.default_rng(seed).uniform(0.93, 1.07)
    if 0.8 <= NATURAL_S * share / natural_s <= 1.25:
        assert abs(spoken_s(kept.audio) - NATURAL_S * share) <= 0.05
    else:
        assert missed(f"={NATURAL_S * share}", spoken_s(kept.audio))


def test_a_voice_that_comes_nearer_slowly_is_stretched_after_four_attempts() -> None:
    kept, paces = fit(f"={NATURAL_S * 0.8}", lambda pace: NATURAL_S / pace**0.3)

    assert len(paces) == 4
    assert spoken_s(kept.audio) == pytest.approx(NATURAL_S * 0.8, abs=0.03)


@pytest.mark.parametrize("share", [0.8, 0.9, 1.1, 1.25])
def test_a_line_whose_pace_does_not_act_is_stretched_after_one_attempt(share: float) -> None:
    kept, paces = fit(f"={NATURAL_S * share}", lambda pace: NATURAL_S)

    assert len(paces) == 2
    assert spoken_s(kept.audio) == pytest.approx(NATURAL_S * share, abs=0.03)


@pytest.mark.parametrize("share", [0.8, 0.9, 1.1, 1.25])
def test_a_take_of_an_engine_without_a_pace_is_stretched_at_once(share: float) -> None:
    kept, paces = fit(f"={NATURAL_S * share}", lambda pace: NATURAL_S, engine=S1)

    assert len(paces) == 1
    assert spoken_s(kept.audio) == pytest.approx(NATURAL_S * share, abs=0.03)
    assert not missed(f"={NATURAL_S * share}", spoken_s(kept.audio))


def test_a_line_that_may_be_shorter_and_is_stays_as_it_is() -> None:
    kept, paces = fit("3.5", lambda pace: NATURAL_S / pace)

    assert paces == [1.0]
    assert spoken_s(kept.audio) == pytest.approx(NATURAL_S, abs=0.005)


@pytest.mark.parametrize("share", [0.8, 0.85, 0.97])
def test_a_line_that_is_too_long_never_exceeds_its_limit(share: float) -> None:
    for engine in (F5, S1):
        kept, _ = fit(f"{NATURAL_S * share}", lambda pace: NATURAL_S / pace**0.9, engine=engine)

        assert NATURAL_S * share - 0.1 <= spoken_s(kept.audio) <= NATURAL_S * share


@pytest.mark.parametrize(("cell", "says"), [("2.3", "shorten the text"), ("=3.9", "lengthen the text")])
def test_a_length_out_of_reach_is_not_tried_and_told_in_words(cell: str, says: str) -> None:
    kept, paces = fit(cell, lambda pace: NATURAL_S / pace)

    assert paces == [1.0]
    assert says in missed(cell, spoken_s(kept.audio))
    assert "3.00 s" in missed(cell, spoken_s(kept.audio))


def test_pauses_between_words_are_left_out_of_the_pace() -> None:
    order = Order(text="[pause:2s] a [pause:1s] b", clip_id="", start_s=0, end_s=0, transcript="")

    _, paces = fit("=2.5", lambda pace: 1.0 + 2.0 / pace, order)

    assert paces == [1.0, pytest.approx(4 / 3, abs=0.01)]


def test_a_pace_that_was_chosen_is_where_it_begins() -> None:
    order = Order(text="words", clip_id="", start_s=0, end_s=0, transcript="", settings={"speed": 1.5, "steps": 4})

    kept, paces = fit("=2.2", lambda pace: NATURAL_S / pace, order)

    assert paces == [1.5, pytest.approx(NATURAL_S / 2.2, abs=0.01)]
    assert kept.request.settings["steps"] == 4


def test_stretching_keeps_the_pitch() -> None:
    made = stretched(sound(2.0), 2.4)

    assert spoken_s(made) == pytest.approx(2.4, abs=0.015)
    tone = made.samples[RATE // 2 : RATE // 2 + RATE]
    assert np.argmax(np.abs(np.fft.rfft(tone * np.hanning(RATE)))) == pytest.approx(HERTZ, abs=2)


@pytest.mark.parametrize(
    ("cell", "limit"),
    [
        ("2.5", LengthLimit(2.5)),
        (" 2,5 s ", LengthLimit(2.5)),
        ("max. 800 ms", LengthLimit(0.8)),
        ("≤ 3 sec", LengthLimit(3.0)),
        ("=2.5", LengthLimit(2.5, exact=True)),
        ("exactly 1.25 seconds", LengthLimit(1.25, exact=True)),
        ("", None),
        ("n/a", None),
    ],
)
def test_a_sheet_says_a_length_in_many_ways(cell: str, limit: LengthLimit | None) -> None:
    assert read_limit(cell) == limit


@pytest.mark.parametrize("cell", ["short", "-2", "2.5.1", "=A1", "1e9", "=0", "nan", "9" * 5_000])
def test_what_is_no_length_is_told_and_limits_nothing(cell: str) -> None:
    with pytest.raises(BadSetting, match=r"write 2\.5"):
        read_limit(cell)
    kept, paces = fit(cell, lambda pace: NATURAL_S)
    assert paces == [1.0]
    assert "is not a length" in missed(cell, spoken_s(kept.audio))
    assert len(missed(cell, spoken_s(kept.audio))) < 120


def test_a_silent_take_is_left_alone() -> None:
    making = fitted(ORDER, "=2", F5.settings)

    with pytest.raises(StopIteration) as ended:
        silent = take(next(making), 0.0)
        making.send(silent)
    assert ended.value.value is silent


def test_the_parts_of_a_stretched_take_move_with_its_audio() -> None:
    spoken = take(ORDER, NATURAL_S)
    parts = (Segment("anna", "one", 0.0, 1.0), Segment("", "two", 1.0, spoken.audio.duration_s))
    making = fitted(ORDER, f"={NATURAL_S * 0.9}", S1.settings)
    next(making)
    with pytest.raises(StopIteration) as ended:
        making.send(replace(spoken, segments=parts))
    kept: Take = ended.value.value
    first, second = kept.segments
    assert first.end_s == second.start_s == pytest.approx(0.9, abs=0.03)
    assert second.end_s == pytest.approx(kept.audio.duration_s)
