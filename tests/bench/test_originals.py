"""The comparison with the original packages: its distance, and its page with blind pairs."""

import json
import re

import numpy as np
import pytest

from bench.originals import _page, mel_distance_db
from engines.types import Audio

RATE = 24_000


def sweep(low_hz: float, seconds: float = 1.0) -> Audio:
    time = np.arange(round(RATE * seconds)) / RATE
    return Audio((0.2 * np.sin(2 * np.pi * (low_hz + 400 * time) * time)).astype(np.float32), RATE)


@pytest.mark.long
def test_equal_speech_has_no_distance_at_any_loudness_and_other_speech_has_one() -> None:
    quiet = Audio(sweep(200).samples * np.float32(0.3), RATE)
    assert mel_distance_db(sweep(200), quiet) < 0.1
    assert mel_distance_db(sweep(200), sweep(900)) > 3


def test_the_page_has_its_form_and_unchanged_pairs() -> None:
    pairs = [{"engine": "s1", "text": "</script> “pairs”", "a": "QQ==", "b": "Qg==", "names": "ours,original"}]
    figures = {"lines": 1, "heard": 1, "with_lost_words": 0}
    page = _page({"engines": {"s1": {"ours": figures}}}, pairs)
    held = re.search(r'<script type="application/json" id="data">(.*)</script>\n', page)
    assert held is not None
    assert json.loads(held[1]) == pairs
    assert page.count('<form id="pairs">') == 1
    assert "<td>s1</td><td>ours</td><td>1</td><td>1</td><td>0</td><td>–</td>" in page
