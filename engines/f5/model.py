"""An F5-TTS checkpoint in memory: network, vocabulary, vocoder and its own defaults."""

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
from engines.runtime.beside import beside
from engines.runtime.placement import Placement
from engines.text.script import CHARACTERS_PER_S
from engines.timbre import KnownVoices
from engines.types import Progress


@dataclass(frozen=True, slots=True, eq=False)
class F5Model:
    """Everything the engine runs on."""

    name: str
    network: DiT
    parameters: FlatParameters  # the network's, into which other weights are copied
    vocoder: Vocoder
    vocabulary: Vocabulary
    steps: int
    guidance: float
    sway: float | None
    piece_characters: int  # that it speaks in one go at most
    timbre: float  # share of the reference's timbre that is lent to what was made; see `engines.timbre`
    known: KnownVoices | None  # whose timbre is not lent; None where none is
    floor: float  # of a reference's log-mel: silence without noise is strange to a network that never heard it
    pace_kept: float = (
        1.0  # as EngineInfo has them: frames that are allotted at the reference's pace may end in silence
    )
    own_pace: float = CHARACTERS_PER_S

    @property
    def stretches_short(self) -> bool:
        """Whether words of short texts are lost at the usual pace."""
        return not self.network.config.text_embedding_average_upsampling


def load(checkpoint: Checkpoint, placement: Placement) -> Generator[Progress, None, F5Model]:
    """Yields progress, returns the model. Raises BadCheckpoint."""
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

    network, parameters = yield from beside(Progress(0.6, "reading weights"), read_network)
    vocoder = yield from beside(Progress(0.8, "reading the vocoder"), read_vocoder)
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
        timbre,
        KnownVoices.read(files.weights.parent) if timbre else None,
        chosen.get("floor", math.log(FLOOR)),
        chosen.get("pace_kept", 1.0),
        chosen.get("own_pace", CHARACTERS_PER_S),
    )
