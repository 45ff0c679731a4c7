"""A loaded F5-TTS checkpoint: network, vocabulary, vocoder and defaults."""

import math
from collections.abc import Generator
from dataclasses import dataclass

from engines.base import Checkpoint
from engines.f5 import plan as planning
from engines.f5.config import DiTConfig
from engines.f5.files import locate, read_design
from engines.f5.flat_parameters import FlatParameters
from engines.f5.frontend import Vocabulary
from engines.f5.layouts import transformer
from engines.f5.mel import FLOOR
from engines.f5.network import DiT
from engines.f5.vocoder import Vocoder
from engines.runtime import weights
from engines.runtime.background import run_in_background
from engines.runtime.placement import Placement
from engines.text.script import CHARACTERS_PER_S
from engines.timbre import KnownVoices
from engines.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class F5Model:
    """A loaded checkpoint, with everything that the engine needs."""

    name: str
    network: DiT
    parameters: FlatParameters  # of the network; other weights are copied into them
    vocoder: Vocoder
    vocabulary: Vocabulary
    steps: int
    guidance: float
    sway: float | None
    piece_characters: int  # longest segment in characters
    short_sentence: int  # longest sentence in characters that is a separate segment, because its words may get lost
    timbre: float  # strength of the timbre correction, 0 to 1; see `engines.timbre`
    known: KnownVoices | None  # voices that need no correction; None if the checkpoint lists none
    floor: float  # lower limit of a reference's log-mel: digital silence is unknown to a network that was trained with noise
    pace_kept: float = 1.0  # as in EngineInfo; at the reference's speaking rate, a take may end in silence
    own_pace: float = CHARACTERS_PER_S

    @property
    def stretches_short(self) -> bool:
        """Return True if the network loses words of short texts at the usual speaking rate."""
        return not self.network.config.text_embedding_average_upsampling


def load(checkpoint: Checkpoint, placement: Placement) -> Generator[Progress, None, F5Model]:
    """Yield progress and return the model. Raises BadCheckpoint."""
    files = yield from locate(checkpoint)
    vocabulary = Vocabulary.read(files.vocabulary)
    arch, chosen = read_design(files.architecture)

    def read_network() -> tuple[DiT, FlatParameters]:
        with weights.unfilled():
            network = DiT(DiTConfig.from_mapping(arch, vocabulary.size))
        weights.fill(network, transformer(weights.read(files.weights)), files.weights.name, adopt=True)
        return network, network.eval().flatten(placement.device, placement.dtype)

    def read_vocoder() -> Vocoder:
        vocoder = Vocoder.from_config(files.vocoder_config)
        held = weights.read(files.vocoder_weights).items()
        state = {key: value for key, value in held if not key.startswith("feature_extractor.")}
        weights.fill(vocoder, state, files.vocoder_weights.name)
        return vocoder.to(placement.device).eval().requires_grad_(False)

    network, parameters = yield from run_in_background(Progress(0.6, "reading weights"), read_network)
    vocoder = yield from run_in_background(Progress(0.8, "reading the vocoder"), read_vocoder)
    timbre = chosen.get("timbre", 0.0)
    return F5Model(
        files.name,
        network,
        parameters,
        vocoder,
        vocabulary,
        chosen.get("steps", 32),
        chosen.get("guidance", 2.0),
        chosen.get("sway", -1.0),
        chosen.get("piece_characters", planning.MOST_CHARACTERS),
        chosen.get("short_sentence", 0),
        timbre,
        KnownVoices.read(files.weights.parent) if timbre else None,
        chosen.get("floor", math.log(FLOOR)),
        chosen.get("pace_kept", 1.0),
        chosen.get("own_pace", CHARACTERS_PER_S),
    )
