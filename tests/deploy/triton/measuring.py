"""Run `app.py` with engines f5 and spark whose audio shows what arrived: `python -m tests.deploy.triton.measuring`.

Each character lasts CLICK_S. The samples increase by STEP from 0. In the last character, every sample is the length of the
reference divided by LONGEST_S.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from engines.base import Event, Spoke
from engines.registry import ENGINES, EngineOptions
from engines.types import Audio, EngineInfo
from tests.engines import metronome, whistle
from tests.engines.metronome import Metronome

MODULE = "tests.deploy.triton.measuring"
LINE = "click"
CLICK_S = 0.2
STEP = 1 / 32_768  # of 16-bit samples
LONGEST_S = 10.0
RATES = {"f5": 24_000, "spark": 16_000}


class Measurer(Metronome):
    rate: int

    def __init__(self, device: EngineOptions) -> None:
        super().__init__(width=8, click_s=1 / metronome.RATE)  # one sample, which becomes the audio of a character

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, rows=8, sample_rate=self.rate)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        return [self._measured(event) if isinstance(event, Spoke) else event for event in super().step(held, yielding)]

    def _measured(self, event: Spoke) -> Spoke:
        request, characters, length = (
            self.requests[event.job_id],
            int(event.audio.samples[0]),
            round(CLICK_S * self.rate),
        )
        samples = STEP * np.arange((characters - 1) * length, characters * length)
        if characters == len(request.text):
            samples = np.full(length, request.reference.audio.duration_s / LONGEST_S)
        return Spoke(event.job_id, Audio(samples.astype(np.float32), self.rate))


class F5Measurer(Measurer):
    rate = RATES["f5"]


class SparkMeasurer(Measurer):
    rate = RATES["spark"]


F5 = replace(whistle.SPEC, name="f5", title="f5", settings=(), factory=f"{MODULE}:F5Measurer")
SPARK = replace(whistle.SPEC, name="spark", title="spark", settings=(), factory=f"{MODULE}:SparkMeasurer")


def main() -> None:
    ENGINES.update({"f5": f"{MODULE}:F5", "spark": f"{MODULE}:SPARK"})
    from app import main as serve  # which reads the registry

    serve()


if __name__ == "__main__":
    main()
