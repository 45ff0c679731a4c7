"""Compare our engines with the original packages on the embedded checkpoints: `python -m bench quality --out FOLDER`.

Each line is spoken by our engine and twice, with two seeds, by the original one (`f5-original`, `s1-original`). The results are
the lines with words that speech recognition does not hear, the predicted MOS, and the likeness to the reference. The mel
distance compares ours with the original, and the two takes of the original with each other: equal engines have equal
distances.

FOLDER/report.html also contains blind pairs to vote on. Their loudness, sample rate and length are equal.
"""

import argparse
import base64
import json
import logging
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

import librosa
import numpy as np

from bench.lines import shipped
from bench.machine import machine, versions
from engines.audio import encode, resample
from engines.types import Audio, Take
from studio.ears.models import Models
from studio.listening.loudness_match import match_sounds
from studio.listening.sessions.measuring import measure_take
from studio.listening.sessions.sounds import with_lead
from training.evaluation.synthesizer import Synthesizer
from training.references import checkpoint

log = logging.getLogger("bench")

ROOT = Path(__file__).parents[1]
LINES = ROOT / "assets" / "ui" / "js" / "sessions" / "sample-lines.js"
PAGE = Path(__file__).parent / "originals.html"
VOICES = ("amber", "basil", "corin", "delia")
ARMS = ("ours", "original", "original again")
RATE_HZ, HOP, BANDS = 24_000, 256, 80
COLUMNS = {
    "lines": "lines", "heard": "heard", "with_lost_words": "with lost words", "mos": "MOS", "likeness": "likeness",
    "seconds": "seconds", "mel_distance_to_original_db": "mel distance to original, dB",
}  # fmt: skip
SEEDS = {"ours": 0, "original": 0, "original again": 10_000}


@dataclass(frozen=True, slots=True)
class Spoken:
    """A take of an arm, with its scores."""

    take: Take
    judged: Mapping[str, Any]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="a folder")
    parser.add_argument("--engine", nargs="+", choices=("f5", "s1"), default=["f5", "s1"])
    parser.add_argument("--lines", type=int, default=40)
    parser.add_argument("--pairs", type=int, default=4, help="blind pairs of each engine in the report")


def run(options: argparse.Namespace) -> None:
    """Speak, judge, and write results.json and report.html."""
    texts = re.findall(r'^  "(.+)",$', LINES.read_text("utf-8"), re.MULTILINE)[: options.lines]
    found: dict[str, Any] = {"machine": machine(), "versions": versions(), "engines": {}}
    pairs: list[dict[str, str]] = []
    for engine in options.engine:
        takes = {arm: _speak(engine, arm, texts) for arm in ARMS}
        found["engines"][engine] = _summary(takes)
        log.info("%s: %s", engine, json.dumps(found["engines"][engine]))
        pairs += _pairs(engine, takes, texts[: options.pairs])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "results.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (options.out / "report.html").write_text(_page(found, pairs), "utf-8")
    log.info("%s", options.out / "report.html")


def _speak(engine: str, arm: str, texts: Sequence[str]) -> list[Spoken]:
    synthesizer = Synthesizer(engine if arm == "ours" else f"{engine}-original", checkpoint(engine))
    models, spoken = Models(), []
    for number, text in enumerate(texts):
        reference = shipped(VOICES[number % len(VOICES)])
        take = synthesizer.speak(reference, text, SEEDS[arm] + number)
        spoken.append(Spoken(take, measure_take(models, text, take.audio, reference.audio)))
    synthesizer.close()
    return spoken


def _summary(takes: Mapping[str, Sequence[Spoken]]) -> dict[str, Any]:
    rows: dict[str, Any] = {arm: _figures(spoken) for arm, spoken in takes.items()}
    original = takes["original"]
    for arm in ("ours", "original again"):
        distances = [mel_distance_db(a.take.audio, b.take.audio) for a, b in zip(takes[arm], original, strict=True)]
        rows[arm]["mel_distance_to_original_db"] = round(fmean(distances), 2)
    return rows


def _figures(spoken: Sequence[Spoken]) -> dict[str, Any]:
    judged = [one.judged for one in spoken]
    compared = [one["complete"] for one in judged if one["complete"] is not None]
    return {
        "lines": len(spoken),
        "heard": len(compared),
        "with_lost_words": compared.count(False),
        "mos": _mean(judged, "mos"),
        "likeness": _mean(judged, "likeness"),
        "seconds": round(sum(one.take.audio.duration_s for one in spoken), 1),
    }


def _mean(judged: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [one[name] for one in judged if one[name] is not None]
    return round(fmean(values), 3) if values else None


def mel_distance_db(one: Audio, other: Audio) -> float:
    """Return the mean difference of log-mels along the best alignment (DTW), at equal loudness."""
    mels = [_log_mel(audio) for audio in match_sounds((one, other), RATE_HZ)]
    _, path = librosa.sequence.dtw(mels[0], mels[1], metric="cityblock")
    return float(np.mean([np.abs(mels[0][:, a] - mels[1][:, b]).mean() for a, b in path]))


def _log_mel(audio: Audio) -> np.ndarray:
    trimmed, _ = librosa.effects.trim(audio.samples, top_db=50)
    power = librosa.feature.melspectrogram(y=trimmed, sr=RATE_HZ, n_fft=1024, hop_length=HOP, n_mels=BANDS)
    return librosa.power_to_db(power, top_db=80)


def _pairs(engine: str, takes: Mapping[str, Sequence[Spoken]], texts: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield blind pairs with equal sample rate, loudness, start and length."""
    drawn = random.Random(engine)
    for text, ours, original in zip(texts, takes["ours"], takes["original"], strict=False):
        sounds = [with_lead(resample(one.take.audio, RATE_HZ)) for one in (ours, original)]
        encoded = [base64.b64encode(encode(audio, "mp3")).decode() for audio in match_sounds(sounds, RATE_HZ)]
        sides = [("ours", encoded[0]), ("original", encoded[1])]
        drawn.shuffle(sides)
        (first, a), (second, b) = sides
        yield {"engine": engine, "text": text, "a": a, "b": b, "names": f"{first},{second}"}


def _page(found: Mapping[str, Any], pairs: Sequence[Mapping[str, str]]) -> str:
    rows = [
        [engine, arm, *(str(figures.get(name, "–")) for name in COLUMNS)]
        for engine, arms in found["engines"].items()
        for arm, figures in arms.items()
    ]
    head = ["engine", "arm", *COLUMNS.values()]
    table = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    page = PAGE.read_text("utf-8")
    return page.replace("<!-- rows -->", f"<tr>{names}</tr>{table}").replace(
        "<!-- pairs -->", json.dumps(list(pairs)).replace("<", "\\u003c")
    )
