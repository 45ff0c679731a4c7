"""What is said of a take's sound, and the process that looks at it."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.types import Audio
from studio.ears.ears import Ears
from studio.ears.models import Models
from studio.script.checks.checker import Checker
from studio.script.checks.examination import check
from studio.script.checks.expected_take import Checked, Expected
from studio.script.checks.likeness import Encoder
from studio.script.checks.sounds import check_sounds
from studio.script.format.script import TakeCheck

VOICES = Path(__file__).parents[4] / "assets" / "voices"
RATE = 24_000
LINE = "Welcome to the studio. Give me a line, and I will read it the way you hear it in your head."


def clip(name: str) -> Audio:
    samples, rate = soundfile.read(VOICES / f"{name}.flac", dtype="float32")
    return Audio(samples, rate)


AMBER = clip("../../tests/studio/script/checks/flite")


def hush(length_s: float) -> np.ndarray:
    return np.zeros(round(length_s * RATE), np.float32)


def voiced(length_s: float) -> np.ndarray:
    return (0.2 * np.sin(2 * np.pi * 200 * np.arange(round(length_s * RATE)) / RATE)).astype(np.float32)


def sound(*parts: np.ndarray) -> Audio:
    return Audio(np.concatenate(parts).astype(np.float32), RATE)


def of(name: str, audio: Audio, expected: Expected | None = None) -> TakeCheck:
    return next(c for c in check_sounds(audio, expected or Expected(text="Go."), ()) if c.name == name)


@pytest.fixture(scope="module")
def models() -> Models:
    return Models()


def test_a_good_take_has_no_fault() -> None:
    audio = clip("references/basil")
    checks = check_sounds(audio, Expected(text="Go.", estimate_s=audio.duration_s), ())
    assert {check.name: check.outcome for check in checks if check.outcome != "ok"} == {}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda at: 0.01 * np.sin(2 * np.pi * 6000 * at), "A constant tone at 6.0 kHz"),
        (lambda at: 0.01 * np.sin(2 * np.pi * 50 * at), "Mains hum of 50 Hz"),
        (lambda at: 0.5 * (at == 2.0), "A click at 2.00 s"),
        (lambda at: np.full(len(at), 0.03), "DC offset of 3.0 % of full scale"),
    ],
    ids=["tone", "hum", "click", "offset"],
)
def test_a_fault_of_the_sound_is_named_in_the_check_of_quality(
    spoil: Callable[[np.ndarray], np.ndarray], said: str
) -> None:
    take = clip("references/basil")
    at = np.arange(len(take.samples)) / RATE
    spoilt = Audio((take.samples + spoil(at)).astype(np.float32), RATE)
    check = of("quality", spoilt)
    assert check.outcome in ("doubt", "fail") and check.message.startswith(said)


def test_a_dropout_in_a_take_is_named_with_its_place() -> None:
    take = clip("references/basil")
    take.samples[round(1.3 * RATE) : round(1.32 * RATE)] = 0.0
    assert "stops for 20 ms at 1.30 s" in of("quality", take).message


def test_several_faults_are_named_together() -> None:
    take = clip("references/basil")
    at = np.arange(len(take.samples)) / RATE
    check = of("quality", Audio((take.samples + 0.03 + 0.01 * np.sin(2 * np.pi * 6000 * at)).astype(np.float32), RATE))
    assert check.outcome == "fail" and check.message.endswith("Also found: DC offset.")


def test_clipping_is_noticed() -> None:
    assert of("clipping", sound(hush(0.1), np.clip(9 * voiced(1), -1, 1), hush(0.1))).outcome == "fail"


def test_a_take_cut_at_its_beginning_or_end_is_noticed() -> None:
    assert of("beginning", sound(voiced(1), hush(0.1))).outcome == "doubt"
    assert of("ending", sound(hush(0.1), voiced(1))).outcome == "fail"


def test_a_burst_after_the_last_word_is_noticed(models: Models) -> None:
    burst = np.random.default_rng(0).normal(0, 0.1, round(0.5 * RATE)).astype(np.float32)
    checked = check(models, Expected(text=LINE), sound(AMBER.samples, hush(0.3), burst, hush(0.1)))
    assert outcomes(checked)["ending"] != "ok"
    assert outcomes(check(models, Expected(text=LINE), AMBER))["ending"] == "ok"


def test_a_long_silence_is_a_fault_unless_the_line_asks_for_it() -> None:
    audio = sound(hush(0.1), voiced(1), hush(2.9), voiced(1), hush(0.1))
    assert of("silence", audio).outcome == "fail"
    assert of("silence", audio, Expected(text="Go. [pause:2.5s] Now.")).outcome == "ok"


def test_length_is_held_against_the_estimate() -> None:
    audio = sound(hush(0.1), voiced(2.8), hush(0.1))
    assert of("length", audio, Expected(text="Go.", estimate_s=3.1)).outcome == "ok"
    assert of("length", audio, Expected(text="Go.", estimate_s=7.0)).outcome == "doubt"
    assert of("length", audio, Expected(text="Go.", estimate_s=0.9)).outcome == "fail"


def test_a_faint_take_is_in_doubt() -> None:
    assert of("loudness", sound(hush(0.1), voiced(1) / 50, hush(0.1))).outcome == "doubt"


@pytest.mark.parametrize(
    "audio",
    [
        sound(np.zeros(0)),
        sound(hush(1)),
        sound(voiced(1), np.full(9, np.nan), hush(1)),
        sound(np.full(9, np.inf)),
        sound(np.ones(1)),
    ],
)
def test_what_holds_no_voice_fails_without_an_error(models: Models, audio: Audio) -> None:
    checked = check(models, Expected(text="Go.", reference=audio), audio)
    assert checked.score < 0.3 and any(one.outcome == "fail" for one in checked.checks)


def test_odd_lines_are_checked_without_an_error(models: Models) -> None:
    for text in ("", "你好", "...", "x" * 400, "Straße"):
        assert check(models, Expected(text=text), AMBER).checks


def test_the_take_with_its_words_scores_higher_than_one_without(models: Models) -> None:
    short = Audio(AMBER.samples[: round(3.0 * RATE)], RATE)
    whole, cut = (check(models, Expected(text=LINE), audio).score for audio in (AMBER, short))
    assert whole > 0.4 > cut


@pytest.mark.long
def test_the_voice_is_compared_with_the_reference(models: Models) -> None:
    half = len(AMBER.samples) // 2
    first, second = Audio(AMBER.samples[:half], RATE), Audio(AMBER.samples[half:], RATE)
    assert outcome_of_voice(models, second, first) == "ok"
    assert outcome_of_voice(models, clip("heldout/rms-deep"), first) in ("doubt", "fail")


def test_a_short_sound_whose_voice_seems_another_is_not_measured(models: Models) -> None:
    short = Audio(clip("heldout/rms-deep").samples[: round(0.9 * RATE)], RATE)
    found = models.of(Encoder).check(short, AMBER)
    assert found.outcome == "unmeasured" and "too short to compare" in found.message


@pytest.mark.parametrize(("length_s", "text"), [(0.4, "Well."), (0.9, "Welcome to"), (1.3, "Welcome to the")])
def test_a_doubt_about_a_bark_is_not_measured(models: Models, length_s: float, text: str) -> None:
    audio = sound(AMBER.samples[: round(length_s * RATE)], hush(0.1))
    checked = check(models, Expected(text=text, reference=AMBER, estimate_s=0.5), audio)
    assert "doubt" not in outcomes(checked).values()


def test_a_word_that_a_bark_lacks_is_a_failure(models: Models) -> None:
    audio = sound(AMBER.samples[: round(0.5 * RATE)], hush(0.1))
    assert outcomes(check(models, Expected(text="Welcome home"), audio))["words"] == "fail"


def outcome_of_voice(models: Models, audio: Audio, reference: Audio) -> str:
    found = models.of(Encoder).check(audio, reference)
    assert found.model == "resemblyzer" and found.value is not None
    return found.outcome


def outcomes(checked: Checked) -> dict[str, str]:
    return {one.name: one.outcome for one in checked.checks}


def test_a_take_is_checked_in_the_process_of_the_ears_as_here(models: Models) -> None:
    ears = Ears()
    try:
        assert Checker(ears).check(Expected(text=LINE), AMBER) == check(models, Expected(text=LINE), AMBER)
        assert len(ears.pids) == 1
    finally:
        ears.close()


@pytest.mark.parametrize(
    ("text", "copies", "reason"),
    [
        ("Привет.", 1, "the text has letters that English does not have"),
        ("[pause:1s]", 1, "the line has no words"),
        (LINE, 60, "the take is longer than two minutes"),
    ],
)
def test_a_check_of_words_that_was_skipped_gives_its_one_reason(
    models: Models, text: str, copies: int, reason: str
) -> None:
    checked = check(models, Expected(text=text), Audio(np.tile(AMBER.samples, copies), RATE))
    found = next(one for one in checked.checks if one.name == "words")
    assert found.outcome == "unmeasured" and found.message.startswith(f"Not checked: {reason}.")


def test_words_in_another_language_are_not_checked(models: Models) -> None:
    checked = check(models, Expected(text=LINE, language="de-AT"), AMBER)
    found = next(one for one in checked.checks if one.name == "words")
    assert found.outcome == "unmeasured" and "knows only English" in found.message
    assert len(checked.checks) > 3


def test_without_ears_no_check_is_measured_and_no_process_starts() -> None:
    ears = Ears(on=False)
    checked = Checker(ears).check(Expected(text="Go."), sound(voiced(0.01)))
    assert outcomes(checked) == {"words": "unmeasured"} and checked.score == 0.0
    assert "STUDIO_EARS" in checked.checks[0].message and ears.pids == ()


def test_a_take_whose_check_never_ends_says_that_it_was_not_checked() -> None:
    ears = Ears(within_s=0.2, command=(sys.executable, "-c", "import time; time.sleep(3600)"))
    checked = Checker(ears).check(Expected(text="Go."), sound(voiced(0.01)))
    assert outcomes(checked) == {"words": "unmeasured"} and checked.score == 0.0
