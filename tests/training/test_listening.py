"""The judges of a voice: words however they are written, predicted MOS, and the top of the band."""

import numpy as np
import pytest

from training.evaluation.full_band import top_band_db
from training.evaluation.opinion import opinion
from training.evaluation.spoken import spoken_words, word_edits
from training.evaluation.whisper import transcribe
from training.references import HELDOUT, RATE_HZ, SHIPPED, read_references


@pytest.mark.parametrize(
    ("wanted", "heard"),
    [
        ("Seven chickens crossed the road.", "7 chickens crossed the road."),
        ("The rent went up by one hundred and fifty dollars.", "The rent went up by $150."),
        ("Forty two students passed.", "42 students passed."),
        ("Open it at half past five, or at five thirty.", "Open it at half past 5 or at 5:30."),
        ("Come at seven o'clock.", "Come at 7:00."),
        ("four zero two nine one seven", "402917"),
        ("It was nineteen eighty four.", "It was 1984."),
        ("on december twenty first", "On December 21st"),
        ("a well-known man", "A well known man."),
        ("ninety nine percent of us", "99% of us"),
    ],
)
def test_a_number_counts_as_heard_however_it_is_written(wanted: str, heard: str) -> None:
    assert word_edits(wanted, heard)[0] == 0


@pytest.mark.parametrize(
    ("heard", "wrong"), [("seven chicken crossed", 1), ("7 chickens", 1), ("8 chickens crossed", 1)]
)
def test_a_word_replaced_missing_or_of_another_number_is_wrong(heard: str, wrong: int) -> None:
    assert word_edits("seven chickens crossed", heard) == (wrong, 3)


def test_spoken_words_hold_no_digits() -> None:
    assert spoken_words("Gate 12, 3:45 PM, $3.50") == [
        "gate",
        "twelve",
        "three",
        "forty",
        "five",
        "pm",
        "three",
        "point",
        "five",
        "dollars",
    ]


def test_a_tone_at_the_nyquist_frequency_shows_at_the_top_of_the_band() -> None:
    clip, _ = read_references(SHIPPED)["amber"]
    tone = 0.1 * (-1.0) ** np.arange(len(clip), dtype=np.float32)
    assert top_band_db(clip) < -60
    assert top_band_db((clip + tone).astype(np.float32)) > -10


def test_silence_has_nothing_at_the_top_of_the_band() -> None:
    assert top_band_db(np.zeros(RATE_HZ, np.float32)) == -120


def test_whisper_hears_a_held_out_clip_as_its_transcript() -> None:
    clip, line = read_references(HELDOUT)["slt-low"]
    wrong, count = word_edits(line, transcribe(clip))
    assert wrong <= 1 < count


def test_noise_lowers_the_predicted_opinion() -> None:
    clip, _ = read_references(SHIPPED)["amber"]
    noise = np.random.default_rng(0).normal(0, 0.05, len(clip)).astype(np.float32)
    assert opinion(clip) > opinion(clip + noise) + 0.3
