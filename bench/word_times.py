"""Measure the word times of speech recognition on lines with known boundaries: `python -m bench.word_times [LINES]`.

The embedded S1-Mini speaks single words, which are cut to their sound. A word counts only if speech recognition hears this word
and no other, because S1-Mini adds sounds to some single words. Six words of one voice make a line, with gaps of 0 to 120 ms
between them. For each voice, the script prints the median and the 95th percentile of the distance to the boundaries that were
found.
"""

import random
import re
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from engines.audio import speech_span
from engines.types import Audio, Samples
from studio.ears.listening import transcribe
from studio.ears.models import Models
from studio.ears.placing import align
from studio.script.checks.wording import typed_words
from training.corpus.spelling import words as plain_words
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
SEEDS = range(5, 11)
TUNED = ("amber", "basil")  # voices with which the constants of `studio.ears.boundaries` were chosen
MARGIN = np.zeros(RATE_HZ // 5, np.float32)  # silence before and after a word that is heard alone


def single_words(models: Models) -> dict[str, dict[str, Samples]]:
    """Return the single words of each voice that are spoken without other sounds."""
    synthesizer = Synthesizer("s1", checkpoint("s1"))
    found: dict[str, dict[str, Samples]] = {}
    for name, clip in sorted(read_references(SHIPPED).items())[:VOICES]:
        for word in WORDS:
            takes = (samples_of(synthesizer.speak(reference_of(*clip), f"{word}.", seed)) for seed in SEEDS)
            spoken = (sound for sound in map(_trimmed, takes) if _heard(models, sound) == [word])
            if (sound := next(spoken, None)) is not None:
                found.setdefault(name, {})[word] = sound
    synthesizer.close()
    return found


def _trimmed(samples: Samples) -> Samples:
    start, end = speech_span(samples, RATE_HZ)
    return samples[start:end]


def _heard(models: Models, sound: Samples) -> list[str]:
    heard = transcribe(models, Audio(np.concatenate([MARGIN, sound, MARGIN]), RATE_HZ))
    return plain_words(" ".join(word.text for word in heard.words))


def measure(models: Models, spoken: Mapping[str, Samples], lines: int) -> list[float]:
    """Return the distances of the boundaries in seconds, in lines of one voice."""
    chosen = random.Random(SEEDS.start)
    found: list[float] = []
    for _ in range(lines):
        words = chosen.sample(sorted(spoken), EACH)
        parts, bounds = [], []
        for word in words:
            parts.append(np.zeros(round(chosen.uniform(0.0, GAP_S) * RATE_HZ), np.float32))
            start = sum(map(len, parts))
            parts.append(spoken[word])
            bounds.append((start / RATE_HZ, sum(map(len, parts)) / RATE_HZ))
        timed = align(models, Audio(np.concatenate(parts), RATE_HZ), typed_words(" ".join(words) + "."))
        pairs = zip(timed, bounds, strict=True)
        found += [abs(a - b) for word, ends in pairs for a, b in zip((word.start_s, word.end_s), ends, strict=True)]
    return found


def main() -> None:
    """Print the distances for each voice."""
    lines, models = int(sys.argv[1]) if len(sys.argv) > 1 else 25, Models()
    found: dict[str, list[float]] = {}
    for name, spoken in single_words(models).items():
        found[name] = measure(models, spoken, lines)
        _show(f"{name}, {len(spoken)} words", found[name])
    _show("all voices", [distance for each in found.values() for distance in each])
    _show("held-out voices", [distance for name, each in found.items() if name not in TUNED for distance in each])


def _show(name: str, distances_s: Sequence[float]) -> None:
    middle, most = np.percentile(1000 * np.array(distances_s), (50, 95))
    sys.stdout.write(f"{name}: {len(distances_s)} boundaries, median {middle:.0f} ms, 95 % within {most:.0f} ms\n")


if __name__ == "__main__":
    main()
