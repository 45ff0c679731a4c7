"""The options of the two trainings of F5."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from engines.f5.config import DiTConfig
from training.corpus.spelling import ALPHABET
from training.options import TrainingOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOptions(TrainingOptions):
    rehearsal: Annotated[Path | None, "small corpus, to compile on while that of --data is being made"] = None
    frames: Annotated[int, "mel frames a step and GPU"] = 49_152
    seams: Annotated[float, "share of joined rows that are masked from a seam to the end, as in use"] = 0.5
    teacher: Annotated[Path | None, "distil this saved or exported checkpoint; the student starts as its copy"] = None
    student_minutes: Annotated[float, "after the others: the trained model is distilled into OUT/student"] = 0.0
    student_before: Annotated[
        Path | None, "earlier call's folder: what its student learned beyond its flow is kept"
    ] = None
    guidance: Annotated[float, "strength of guidance that a student learns"] = 2.0
    sampling_steps: Annotated[int, "steps of the grid that a student learns"] = 7
    parts: Annotated[int, "number of teacher steps in each step of the student"] = 2
    dim: Annotated[int, "of the network"] = 256
    depth: Annotated[int, "of the network"] = 12
    heads: Annotated[int, "of the network"] = 4
    text_dim: Annotated[int, "of the network"] = 256
    muon_rate: Annotated[float, "for the block matrices"] = 0.01
    adam_rate: Annotated[float, "for the rest"] = 1e-3
    average: Annotated[float, "share that the average of the weights keeps at a step"] = 0.999
    rooms: Annotated[float, "share of the rows masked from a seam whose reference is recorded in a room"] = 0.0
    strength: Annotated[float, "of the augmentation of speakers"] = 1.0
    augmentations: Annotated[int, "how often in this call the speakers are augmented anew; 0: as recorded"] = 0

    def config(self) -> DiTConfig:
        return DiTConfig(
            vocabulary_size=len(ALPHABET),
            dim=self.dim,
            depth=self.depth,
            heads=self.heads,
            ff_mult=2,
            text_dim=self.text_dim,
            text_embedding_average_upsampling=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VocoderOptions(TrainingOptions):
    crops: Annotated[int, "a step"] = 64
    dim: Annotated[int, "of the network"] = 320
    depth: Annotated[int, "of the network"] = 8
    rate: Annotated[float, "of learning"] = 7e-4
    augment: Annotated[float, "strength of the augmentation of each crop's speaker; 0: none"] = 0.0
    spectrum_weight: Annotated[float, "weight of the spectral distance; the mel distance has 15"] = 5.0
    score_weight: Annotated[float, "of discriminators' scores; 0: there are none"] = 0.0
    feature_weight: Annotated[float, "of the distance between the discriminators' features"] = 3.0
