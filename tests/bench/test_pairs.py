"""The references that the load test sends."""

import base64
import io
from itertools import islice

import numpy as np
import soundfile

from bench.load.pairs import prompted


def test_no_two_requests_have_equal_samples() -> None:
    clips = [soundfile.read(io.BytesIO(base64.b64decode(pair.prompt)))[0] for pair in islice(prompted(), 80)]
    assert len({clip.tobytes() for clip in clips}) == len(clips)
    assert all(0.02 < np.sqrt(np.mean(clip**2)) < 0.5 for clip in clips)
