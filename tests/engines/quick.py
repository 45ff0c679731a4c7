"""Engines with the names and settings of F5-TTS and S1-Mini, which play a tone instead of computing speech.

They are for tests that need a take, but not its words. Tests of speech, words or checks need the embedded voices.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from engines.base import EngineJob, Event, Spoke
from engines.f5.spec import SPEC as F5
from engines.registry import EngineOptions, Spec
from engines.s1.spec import SPEC as S1
from engines.types import Audio, EngineInfo
from tests.engines.metronome import Metronome

SAMPLE_RATE = 24_000
SECONDS = 0.06  # of audio for each character, about as long as speech
DEFAULTS = {
    "speed": 1.0, "steps": 7.0, "guidance": 2.0,
    "temperature": 0.7, "top_p": 0.7, "repetition_penalty": 1.5,
}  # fmt: skip


class Quick(Metronome):
    """Plays a tone for each character; the pitch depends on the seed."""

    spec: Spec

    def __init__(self, device: EngineOptions) -> None:
        super().__init__(width=device.max_batch or 2)

    @property
    def info(self) -> EngineInfo:
        spec = self.spec
        return replace(
            super().info,
            name=spec.name,
            title=spec.title,
            checkpoint="embedded",
            licence=spec.licences["embedded"],
            sample_rate=SAMPLE_RATE,
            reference_max_s=spec.reference_max_s,
            defaults={setting.name: DEFAULTS[setting.name] for setting in spec.settings},
        )

    def admit(self, job: EngineJob) -> None:
        self.spec.chosen(job.request.settings, self.info.defaults)
        self.jobs[job.id], self.requests[job.id] = 0, job.request

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        return [self._tone(event) if isinstance(event, Spoke) else event for event in super().step(held, yielding)]

    def _tone(self, event: Spoke) -> Spoke:
        times = np.arange(int(SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
        hertz = 110 + self.requests[event.job_id].seed % 200
        return Spoke(event.job_id, Audio((0.2 * np.sin(2 * np.pi * hertz * times)).astype(np.float32), SAMPLE_RATE))


class QuickF5(Quick):
    spec = F5


class QuickS1(Quick):
    spec = S1


class SlowF5(QuickF5):
    """Sleeps before each character, so that a test can stop a render. Sleeping uses no CPU time."""

    def __init__(self, device: EngineOptions) -> None:
        super().__init__(device)
        self.step_s = 0.15


F5_SPEC = replace(F5, factory=f"{__name__}:QuickF5")
S1_SPEC = replace(S1, factory=f"{__name__}:QuickS1")
SLOW_F5_SPEC = replace(F5, factory=f"{__name__}:SlowF5")

QUICK = {"f5": f"{__name__}:F5_SPEC", "s1": f"{__name__}:S1_SPEC"}
SLOW = {"f5": f"{__name__}:SLOW_F5_SPEC"}
