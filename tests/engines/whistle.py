"""An engine in a separate folder with its own setting: its spec and its class."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from engines.base import EngineJob, Event, Spoke
from engines.registry import EngineOptions, Spec
from engines.types import Audio, EngineInfo, Setting
from tests.engines.metronome import Metronome

SPEC = Spec(
    name="whistle",
    title="Whistle",
    good_at="Whistles every character.",
    settings=(Setting(name="pitch", label="Pitch", help="How high it is.", least=0.25, most=0.75, step=0.25),),
    reference_max_s=10.0,
    factory="tests.engines.whistle:Whistle",
    licences={"embedded": "none"},
)
DEFAULTS = {"pitch": 0.5}


class Whistle(Metronome):
    """Fills its audio with its pitch, so that a take shows the setting that it was generated with."""

    def __init__(self, device: EngineOptions) -> None:
        super().__init__(click_s=0.2)

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, name=SPEC.name, title=SPEC.title, defaults=DEFAULTS)

    def admit(self, job: EngineJob) -> None:
        SPEC.chosen(job.request.settings, DEFAULTS)
        super().admit(job)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        return [self._pitched(event) for event in super().step(held, yielding)]

    def _pitched(self, event: Event) -> Event:
        if not isinstance(event, Spoke):
            return event
        pitch = SPEC.chosen(self.requests[event.job_id].settings, DEFAULTS)["pitch"]
        samples = np.full_like(event.audio.samples, pitch)
        return Spoke(event.job_id, Audio(samples, event.audio.sample_rate))
