"""Fit lines to a given time with the embedded F5: `python -m bench.fit --out fit.json`.

Each line is requested at exactly 0.8 to 1.25 times its natural length. Prints the reached length, the number of attempts, and
the stretch factor of the last one.
"""

import argparse
import json
import logging
from collections.abc import Generator
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import soundfile

from bench.machine import ROOT, machine
from engines.base import Checkpoint, Engine, EngineJob, Finished, Refused, Spoke
from engines.registry import EngineOptions, spec
from engines.types import Audio, Cost, Reference, Request, Take
from studio.order import Order
from studio.script.stretching import spoken_s
from studio.script.timing import ATTEMPTS, TOLERANCE_S, fitted

log = logging.getLogger("bench.fit")

SHARES = (0.8, 0.9, 1.1, 1.25)  # of the natural length
LINES = (
    ("amber", "Hold the gate until the last of them is through."),
    ("basil", "The bridge is out, take the long way around the lake."),
    ("corin", "Behind you!"),
    ("delia", "We lost the tower. [pause:0.8s] Fall back to the river and wait for my signal."),
    ("edgar", "I told them winter would come early, and nobody listened to an old man."),
)


class Speaker:
    """Steps one engine directly, one request at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._ids = engine, count()

    def speak(self, order: Order, voice: str) -> Take:
        request = Request(text=order.text, reference=reference(voice), seed=3, settings=order.settings)
        job = EngineJob(str(next(self._ids)), request)
        self._engine.admit(job)
        heard: list[Audio] = []
        while True:
            for event in self._engine.step():
                if isinstance(event, Refused):
                    raise event.error
                if isinstance(event, Spoke):
                    heard.append(event.audio)
                if isinstance(event, Finished):
                    audio = Audio(np.concatenate([each.samples for each in heard]), heard[0].sample_rate)
                    return Take(request, audio, Cost(queued_s=0, ttfa_s=0, total_s=0, compute_s=0, audio_s=0), "")


def reference(voice: str) -> Reference:
    file = ROOT / "assets" / "voices" / "references" / voice
    samples, rate = soundfile.read(file.with_suffix(".flac"), dtype="float32")
    return Reference(Audio(samples, rate), file.with_suffix(".txt").read_text("utf-8").strip())


def case(speaker: Speaker, voice: str, natural: Take, share: float) -> dict[str, object]:
    """Fit one line to one share of its natural length, reusing the natural take."""
    wanted_s = spoken_s(natural.audio) * share
    text = natural.request.text
    making = fitted(
        Order(text=text, clip_id="", start_s=0.0, end_s=0.0, transcript=""), f"={wanted_s:.3f}", spec("f5").settings
    )
    next(making)
    kept, tried = driven(making, speaker, voice, natural)
    made = next(take for take in tried if take.request.settings == kept.request.settings)
    return {
        "voice": voice,
        "share": share,
        "natural_s": round(spoken_s(natural.audio), 3),
        "wanted_s": round(wanted_s, 3),
        "reached_s": round(spoken_s(kept.audio), 3),
        "off_ms": round(1000 * (spoken_s(kept.audio) - wanted_s)),
        "attempts": len(tried),
        "spoken_s": [round(spoken_s(take.audio), 3) for take in tried],
        "speed": kept.request.settings.get("speed", 1.0),
        "stretched": round(spoken_s(kept.audio) / spoken_s(made.audio), 3),
    }


def driven(
    making: Generator[Order, Take, Take], speaker: Speaker, voice: str, natural: Take
) -> tuple[Take, list[Take]]:
    """Run the fitting generator; return the kept take and all spoken ones."""
    tried = [natural]
    while True:
        try:
            order = making.send(tried[-1])
        except StopIteration as ended:
            return ended.value, tried
        tried.append(speaker.speak(order, voice))


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("fit.json"))
    options = parser.parse_args()
    engine = spec("f5").make(EngineOptions(name="cpu", compile="off"))
    for _ in engine.load(Checkpoint("embedded")):
        pass
    speaker, cases = Speaker(engine), []
    for voice, text in LINES:
        order = Order(text=text, clip_id="", start_s=0.0, end_s=0.0, transcript="")
        natural = speaker.speak(replace(order, settings={}), voice)
        for share in SHARES:
            cases.append(case(speaker, voice, natural, share))
            log.info("%s", json.dumps(cases[-1]))
    within = sum(abs(float(str(each["off_ms"]))) <= 1000 * TOLERANCE_S for each in cases)
    figures = {**machine(), "attempts_at_most": ATTEMPTS, "within": f"{within} of {len(cases)}", "cases": cases}
    options.out.write_text(json.dumps(figures, indent=1))
    log.info("%s", figures["within"])


if __name__ == "__main__":
    main()
