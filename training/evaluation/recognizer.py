"""Outside ears: pocketsphinx reads what was said, Resemblyzer says who said it. Both carry their models in their wheels."""

import functools
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pocketsphinx
import soxr
from numpy.typing import NDArray

from training.corpus.spelling import ONES, words

RATE_HZ = 16_000
SOURCE_HZ = 24_000
Clip = NDArray[np.float32]


def _to_pcm(clip: Clip) -> bytes:
    low = soxr.resample(clip, SOURCE_HZ, RATE_HZ)
    low = np.pad(low, (RATE_HZ // 5, RATE_HZ // 5))
    low = low + np.random.default_rng(0).normal(0, 1e-4, len(low))  # digital silence upsets its noise tracking
    return (np.clip(low, -1, 1) * 32767).astype("<i2").tobytes()


@functools.cache
def _open() -> Any:
    return pocketsphinx.Decoder(samprate=RATE_HZ, loglevel="FATAL")


@functools.cache
def _grammar(grammar: str) -> Any:
    with tempfile.NamedTemporaryFile("w", suffix=".gram", delete=False) as file:
        file.write(grammar)
    decoder = pocketsphinx.Decoder(samprate=RATE_HZ, loglevel="FATAL", lm=None, jsgf=file.name)
    Path(file.name).unlink()
    return decoder


def _decode(decoder: Any, clip: Clip) -> list[str]:
    decoder.reinit_feat()  # forgets the channel of the clip before, so that the order of clips does not matter
    decoder.start_utt()
    decoder.process_raw(_to_pcm(clip), no_search=False, full_utt=True)
    decoder.end_utt()
    return words(decoder.hyp().hypstr) if decoder.hyp() else []


def hear(clip: Clip) -> list[str]:
    """Words of an open vocabulary."""
    return _decode(_open(), clip)


def hear_digits(clip: Clip) -> list[str]:
    digits = " | ".join(ONES[:10])
    return _decode(_grammar(f"#JSGF V1.0;\ngrammar digits;\npublic <digits> = ( {digits} )+;\n"), clip)


def hear_choice(clip: Clip, lines: Sequence[str]) -> list[str]:
    """The one of these lines that fits best."""
    choices = " | ".join(" ".join(words(line)) for line in lines)
    return _decode(_grammar(f"#JSGF V1.0;\ngrammar choice;\npublic <choice> = {choices} ;\n"), clip)


def knows(line: str) -> bool:
    """Whether the open vocabulary holds every word of a line."""
    return all(_open().lookup_word(word) for word in words(line))


@functools.cache
def _encoder() -> Any:
    from resemblyzer import VoiceEncoder

    return VoiceEncoder("cpu", verbose=False)


def voice_print(clip: Clip) -> NDArray[np.float32]:
    """(256,) unit vector of a speaker."""
    from resemblyzer import preprocess_wav

    found: NDArray[np.float32] = _encoder().embed_utterance(preprocess_wav(clip, source_sr=SOURCE_HZ))
    return found


def nearest(clip: Clip, prints: dict[str, NDArray[np.float32]]) -> str:
    own = voice_print(clip)
    return max(prints, key=lambda name: float(own @ prints[name]))


def mean(values: Iterable[float]) -> float:
    kept = list(values)
    return float(np.mean(kept)) if kept else float("nan")


def has_ends(clip: Clip, line: str) -> bool:
    """Whether the line fits better with its first and its last word than without."""
    said = words(line)
    if len(said) < 3:
        return bool(_decode(_grammar(f"#JSGF V1.0;\ngrammar all;\npublic <all> = {' '.join(said)} ;\n"), clip))
    body = f"[ {said[0]} ] {' '.join(said[1:-1])} [ {said[-1]} ]"
    found = _decode(_grammar(f"#JSGF V1.0;\ngrammar ends;\npublic <ends> = {body} ;\n"), clip)
    return len(found) == len(said)
