"""What findings about the quality of a sound say."""

import pytest

from studio.ears.quality import findings
from studio.ears.quality.tones import Hum


@pytest.mark.parametrize(
    ("level_db", "said"),
    [
        (-17.0, "3 dB louder than the speech"),
        (-20.2, "as loud as the speech"),
        (-32.0, "12 dB quieter than the speech"),
    ],
)
def test_hum_is_compared_with_the_speech_in_words(level_db: float, said: str) -> None:
    message = findings.of_hum(Hum(mains_hz=50.0, level_db=level_db, tones=()), -20.0, "take").message
    assert message.startswith(f"Mains hum of 50 Hz, {said}.")


@pytest.mark.parametrize(("sample_rate", "is_rate_to_blame"), [(8_000, True), (16_000, False), (24_000, False)])
def test_a_higher_sample_rate_is_advised_only_where_it_helps(sample_rate: int, is_rate_to_blame: bool) -> None:
    message = findings.of_bandwidth(3_400.0, "reference", sample_rate).message
    assert ("sample rate of 16 kHz or more" in message) is is_rate_to_blame
