"""Measure the word times of speech recognition on lines with known boundaries: `python -m bench.word_times [LINES]`.

The embedded S1-Mini speaks single words, which are cut to their sound. Six words of one voice make a line, with gaps of 0 to
120 ms between them. The script prints the median and the 95th percentile of the distance to the boundaries that were found.
"""

import random
import re
import sys

import numpy as np

from engines.audio import speech_span
from engines.types import Audio
from studio.ears.models import Models
from studio.ears.placing import align
from studio.script.checks.wording import typed_words
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import RATE_HZ, SHIPPED, checkpoint, read_references

WORDS = tuple(
    re.findall(
        r"\w+",
        """
bridge garden winter yellow mother captain window silver master lantern forest morning river doctor paper
kitchen answer thunder village market
""",
    )
)
VOICES, EACH, GAP_S = 4, 6, 0.12
SEED = 5


def measure(lines: int) -> list[float]:
    """Return the distances of the boundaries in seconds."""
    chosen = random.Random(SEED)
    known = sorted(read_references(SHIPPED).items())[:VOICES]
    synthesizer, models = Synthesizer("s1", checkpoint("s1")), Models()
    spoken = {
        name: {word: _trimmed(samples_of(synthesizer.speak(reference_of(*clip), f"{word}.", SEED))) for word in WORDS}
        for name, clip in known
    }
    synthesizer.close()
    found: list[float] = []
    for number in range(lines):
        words = chosen.sample(WORDS, EACH)
        parts, bounds = [], []
        for word in words:
            parts.append(np.zeros(round(chosen.uniform(0.0, GAP_S) * RATE_HZ), np.float32))
            start = sum(map(len, parts))
            parts.append(spoken[known[number % VOICES][0]][word])
            bounds.append((start / RATE_HZ, sum(map(len, parts)) / RATE_HZ))
        timed = align(models, Audio(np.concatenate(parts), RATE_HZ), typed_words(" ".join(words) + "."))
        pairs = zip(timed, bounds, strict=True)
        found += [abs(a - b) for word, ends in pairs for a, b in zip((word.start_s, word.end_s), ends, strict=True)]
    return found


def _trimmed(samples: np.ndarray[tuple[int], np.dtype[np.float32]]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    start, end = speech_span(samples, RATE_HZ)
    return samples[start:end]


if __name__ == "__main__":
    ms = 1000 * np.array(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
    middle, most = np.percentile(ms, (50, 95))
    sys.stdout.write(f"{len(ms)} boundaries: median {middle:.0f} ms, 95 % within {most:.0f} ms\n")
