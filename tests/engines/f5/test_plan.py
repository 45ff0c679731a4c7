"""How long new speech is to be."""

import pytest

from engines.f5.mel import HOP, SAMPLE_RATE
from engines.f5.plan import MARGIN_S, frames

TRANSCRIPT = "the café is open. "
MARGIN = round(MARGIN_S * SAMPLE_RATE / HOP)


@pytest.mark.parametrize("text", ["take the long way round.", "naïve café, señor.", "a" * 19])
@pytest.mark.parametrize("speed", [0.7, 1.0, 1.3])
def test_a_byte_lasts_as_long_as_a_byte_of_the_reference(text: str, speed: float) -> None:
    upstream = int(300 / len(TRANSCRIPT.encode()) * len(text.encode()) / speed)  # f5_tts.infer.utils_infer
    assert frames(300, TRANSCRIPT, text, speed, stretch_short=True) == upstream + MARGIN


def test_a_text_below_ten_bytes_is_stretched_where_the_checkpoint_needs_it() -> None:
    stretched, not_stretched = (
        frames(300, TRANSCRIPT, "come here", 1.0, stretch) - MARGIN for stretch in (True, False)
    )
    assert stretched == pytest.approx(not_stretched / 0.3, abs=4)
