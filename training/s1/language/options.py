"""The options of the language model's training."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from training.options import TrainingOptions
from training.s1.language.tokens import EncodingOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageOptions(TrainingOptions):
    codec: Annotated[Path, "folder of the codec's carried weights"]
    positions: Annotated[int, "a step and GPU"] = 16_384
    fast_frames: Annotated[int, "a step and GPU that learn their residual codes"] = 4096
    depth: Annotated[int, "of the slow transformer"] = 8
    dropout: Annotated[float, "in every block"] = 0.1
    muon_rate: Annotated[float, "for the block matrices"] = 0.01
    adam_rate: Annotated[float, "for the rest"] = 1e-3
    letters_weight: Annotated[float, "of the loss of the letters being said"] = 0.2
    smoothing: Annotated[float, "of the labels of semantic tokens"] = 0.0
    average: Annotated[float, "share that the average of the weights keeps at a step"] = 0.999
    spoken: Annotated[int, "held-out lines spoken at each save"] = 16
    spoken_frames: Annotated[int, "of each at most"] = 220
    augment: Annotated[float, "strength of the augmentation of every speaker; 0: none"] = 0.0
    augmentations: Annotated[int, "ways in which every speaker is augmented"] = 1
    plain: Annotated[bool, "learn the speakers as they are besides"] = False
    head_steps: Annotated[int, "of learning the letters of codes whose codec came without a head"] = 1500
    rooms: Annotated[float, "share of the items whose references are recorded in rooms while the line is not"] = 0.0

    def encoding(self) -> EncodingOptions:
        return EncodingOptions(
            strength=self.augment,
            count=self.augmentations,
            plain=self.plain,
            recorded=self.rooms > 0,
            head_steps=self.head_steps,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageExportOptions:
    checkpoint: Annotated[Path, "folder of the language model's training"]
    codec: Annotated[Path, "folder of the codec's training, or an exported one"]
    out: Annotated[Path, "folder of the whole checkpoint"]
    packed: Annotated[bool, "int8 with a scale a channel, for the tree"] = False
