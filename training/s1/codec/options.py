"""The options of the codec's training."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from training.options import TrainingOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecOptions(TrainingOptions):
    rehearsal: Annotated[Path | None, "small corpus, to compile on while that of --data is being made"] = None
    config: Annotated[Path | None, "of a new training; else the shipped codec's"] = None
    batch: Annotated[int, "crops a step and GPU"] = 72
    crop_frames: Annotated[int, "of each"] = 28
    learning_rate: Annotated[float, "at the plateau"] = 1e-3
    open_steps: Annotated[int, "before the quantizer starts; from an exported codec: before the new head counts"] = 300
    letters_every: Annotated[int, "steps; 0: the semantic codes need not carry words"] = 2
    letters_batch: Annotated[int, "whole utterances"] = 16
    letters_frames: Annotated[int, "of the longest of them"] = 160
    letters_weight: Annotated[float, "of the loss of their letters"] = 0.15
    cepstral_weight: Annotated[float, "of the distance between mel cepstra"] = 1.0
    dropout: Annotated[float, "share of the rows that keep only some residual levels"] = 0.4
    decoder_only: Annotated[bool, "leave the encoder, so that a language model's codes keep their meaning"] = False
    augment: Annotated[float, "strength of the augmentation of each crop's and line's speaker; 0: none"] = 0.0
    score_weight: Annotated[float, "of the discriminators' scores"] = 0.15
    feature_weight: Annotated[float, "of the distance between the discriminators' features"] = 0.5
    adversarial_from: Annotated[float, "share of the whole training, from which on discriminators count; 1: never"] = (
        2 / 3
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecEvaluationOptions:
    checkpoint: Annotated[Path, "folder of a training, or an exported one"]
    data: Annotated[Path, "corpus folder"]
    count: Annotated[int, "utterances"] = 50
    levels: Annotated[int | None, "use only the first so many codes of a frame"] = None
    wavs: Annotated[Path | None, "folder to write recordings and copies to"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodecExportOptions:
    checkpoint: Annotated[Path, "folder of a training"]
    out: Annotated[Path, "folder of the exported codec"]
    packed: Annotated[bool, "int8 with a scale a channel, for the tree"] = False
