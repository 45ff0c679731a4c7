"""An independent speech recogniser: pocketsphinx, with the English model of its wheel. Clips are at 24 kHz."""

import functools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pocketsphinx
import soxr

from training.corpus.spelling import ONES, words
from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000  # rate of the recognizer


def recognize(clip: Clip) -> list[str]:
    """Return the words of a clip, with an open vocabulary."""
    return _decode(_open_vocabulary(), clip)


def recognize_digits(clip: Clip) -> list[str]:
    """Return the digits of a clip, as words."""
    digits = " | ".join(ONES[:10])
    return _decode(_grammar(f"#JSGF V1.0;\ngrammar digits;\npublic <digits> = ( {digits} )+;\n"), clip)


def recognize_choice(clip: Clip, lines: Sequence[str]) -> list[str]:
    """Return the words of the line that fits the clip best."""
    choices = " | ".join(" ".join(words(line)) for line in lines)
    return _decode(_grammar(f"#JSGF V1.0;\ngrammar choice;\npublic <choice> = {choices} ;\n"), clip)


def lacks_word(clip: Clip, line: str) -> bool:
    """Return True if the clip fits the line better with one word removed."""
    wanted = words(line)
    lines = [wanted, *([*wanted[:at], *wanted[at + 1 :]] for at in range(len(wanted)))]
    choices = " | ".join(" ".join(line) for line in lines if line)
    decoder = _grammar.__wrapped__(f"#JSGF V1.0;\ngrammar lacking;\npublic <lacking> = {choices} ;\n")
    return len(_decode(decoder, clip)) < len(wanted)


def has_ends(clip: Clip, line: str) -> bool:
    """Return True if the line fits the clip best with both its first and its last word."""
    wanted = words(line)
    if len(wanted) < 3:
        return bool(_decode(_grammar(f"#JSGF V1.0;\ngrammar all;\npublic <all> = {' '.join(wanted)} ;\n"), clip))
    body = f"[ {wanted[0]} ] {' '.join(wanted[1:-1])} [ {wanted[-1]} ]"
    found = _decode(_grammar(f"#JSGF V1.0;\ngrammar ends;\npublic <ends> = {body} ;\n"), clip)
    return len(found) == len(wanted)


def _to_pcm(clip: Clip) -> bytes:
    low = soxr.resample(clip, SOURCE_HZ, RATE_HZ)
    low = np.pad(low, (RATE_HZ // 5, RATE_HZ // 5))
    low = low + np.random.default_rng(0).normal(0, 1e-4, len(low))  # digital silence disturbs its noise estimate
    return (np.clip(low, -1, 1) * 32767).astype("<i2").tobytes()


@functools.cache
def _open_vocabulary() -> Any:
    return pocketsphinx.Decoder(samprate=RATE_HZ, loglevel="FATAL")


@functools.cache
def _grammar(grammar: str) -> Any:
    with tempfile.NamedTemporaryFile("w", suffix=".gram", delete=False) as file:
        file.write(grammar)
    decoder = pocketsphinx.Decoder(samprate=RATE_HZ, loglevel="FATAL", lm=None, jsgf=file.name)
    Path(file.name).unlink()
    return decoder


def _decode(decoder: Any, clip: Clip) -> list[str]:
    decoder.reinit_feat()  # resets the channel estimate, so that the order of clips does not matter
    decoder.start_utt()
    decoder.process_raw(_to_pcm(clip), no_search=False, full_utt=True)
    decoder.end_utt()
    return words(decoder.hyp().hypstr) if decoder.hyp() else []
