"""Bring the timbre of generated audio closer to the reference, for checkpoints that follow unseen voices poorly.

Each generated frame moves part of the way to the most similar frames of the reference, as in kNN-VC (Baas et al. 2023,
arXiv:2305.18975), but only in its spectral envelope, so that the words stay clear. A frame moves less if the reference has no
similar frame. The mean envelope also moves to that of the reference. The strength of both depends on how far the reference is
from the voices that the checkpoint knows; for a known voice nothing changes.

A log-mel has the format of F5: 100 bands up to 12 kHz, natural logarithms of magnitudes, 93.75 frames a second.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.errors import BadCheckpoint

BANDS = 100
LOUD = 1e-3  # share of the loudest frame's power above which a frame counts as loud
MIN_LOUD_FRAMES = 30  # fewest loud frames from which a timbre is computed
ENVELOPE = 1.0  # standard deviation of the Gaussian smoothing, in bands and in frames
CONTEXT = 2  # frames before and after a frame that are compared with it
SHARPNESS = 20.0  # weight falloff of reference frames that are farther than the nearest one
EXACT = 1e-3  # lower bound of the nearest distance; avoids division by zero
SIMILAR = 12.0  # distance beyond which the correction of a frame becomes smaller
MAX_CHANGE = 2.0  # largest change of a band, in natural logarithms of a magnitude
MIDDLE = slice(5, 60)  # bands whose mean level stays
VOICES = "voices.npz"  # a file of a checkpoint: its known voices as (n, 100) log-mels, stored as bytes
LOWEST, STEP = -12.0, 0.1  # decoding of these bytes: the log-mel value of 0, and the step
NEAR, FAR = 14.0, 15.0  # mean distance from the known voices up to which nothing is corrected, and from which all is


@dataclass(frozen=True, slots=True, eq=False)
class KnownVoices:
    """Voices that a checkpoint follows without correction."""

    neighbourhoods: Tensor  # (n, 500) of all known voices

    @classmethod
    def read(cls, folder: Path) -> "KnownVoices | None":
        """Read the known voices of a checkpoint's folder; None if it has no such file. Raises BadCheckpoint."""
        path = folder / VOICES
        if not path.is_file():
            return None
        try:
            with np.load(path) as held:
                mels = [torch.from_numpy(held[name]).float().view(-1, BANDS) * STEP + LOWEST for name in held.files]
            found = [timbre.neighbourhoods for mel in mels if (timbre := Timbre.of(mel)) is not None]
            return cls(torch.cat(found))
        except Exception as error:  # the file is untrusted: numpy, zipfile and zlib each raise their own errors
            raise BadCheckpoint(f"{path.name} cannot be read; fetch it again, or remove it") from error

    def novelty(self, neighbourhoods: Tensor) -> float:
        """Return 0 if a voice with these (n, 500) neighbourhoods is like a known one, 1 if it is far from all of them."""
        distance = torch.cdist(neighbourhoods, self.neighbourhoods.to(neighbourhoods)).amin(1).mean()
        return float(((distance - NEAR) / (FAR - NEAR)).clamp(0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Timbre:
    """The timbre of a recording's loud frames, as log-mels of 100 bands."""

    mean: Tensor  # (100,) envelope, without the mean level of the bands in MIDDLE
    shapes: Tensor  # (m, 100) envelopes minus the mean, without the level of each frame
    neighbourhoods: Tensor  # (m, 500) of the shapes
    strength: float  # 0 to 1: scales all corrections

    @classmethod
    def of(cls, mel: Tensor, known: KnownVoices | None = None) -> "Timbre | None":
        """Compute the timbre of a (n, 100) log-mel; None if too little is loud. A `known` voice gets the strength 0."""
        loud = loud_frames(mel)
        if int(loud.sum()) < MIN_LOUD_FRAMES:
            return None
        envelopes = smooth(mel)
        mean = envelopes[loud].mean(0)
        shapes = shapes_of(envelopes - mean)
        neighbourhoods = in_context(shapes)[loud]
        strength = 1.0 if known is None else known.novelty(neighbourhoods)
        return cls(levelled(mean), shapes[loud], neighbourhoods, strength)

    def mean_correction(self, mean: Tensor, share: float = 1.0) -> Tensor:
        """Return the change that moves (..., 100) mean envelopes, without level, to the reference's mean by `share`."""
        return (self.strength * share * (self.mean - mean)).clamp(-MAX_CHANGE, MAX_CHANGE)

    def shape_correction(self, shapes: Tensor, neighbourhoods: Tensor, share: float) -> Tensor:
        """Return the change that moves (n, 100) shapes to the most similar shapes of the reference by `share`."""
        distances = torch.cdist(neighbourhoods, self.neighbourhoods)
        nearest = distances.amin(1, keepdim=True)
        weights = (-SHARPNESS * (distances / nearest.clamp(min=EXACT)).square()).softmax(1)
        shares = self.strength * share * SIMILAR / nearest.clamp(min=SIMILAR)
        return shares * (weights @ self.shapes - shapes)


def power_of(mel: Tensor) -> Tensor:
    """Return the power of each frame: (n, 100) log-mel -> (n,)."""
    return (2 * mel).exp().sum(1)


def loud_frames(mel: Tensor) -> Tensor:
    """Return True for each loud frame: (n, 100) log-mel -> (n,)."""
    power = power_of(mel)
    return power > LOUD * power.max()


def levelled(envelopes: Tensor) -> Tensor:
    """Subtract the mean level of the bands in MIDDLE from (..., 100) envelopes."""
    return envelopes - envelopes[..., MIDDLE].mean(-1, keepdim=True)


def shapes_of(envelopes: Tensor) -> Tensor:
    """Subtract the mean level of each frame from (n, 100) envelopes."""
    return envelopes - envelopes.mean(1, keepdim=True)


def in_context(shapes: Tensor) -> Tensor:
    """Join each frame with its neighbours, repeating the edges: (n, 100) -> (n, 500)."""
    padded = F.pad(shapes.T[None], (CONTEXT, CONTEXT), mode="replicate")[0].T
    return neighbourhoods_in(padded)


def neighbourhoods_in(shapes: Tensor) -> Tensor:
    """Join each frame that has all its neighbours with them: (n + 4, 100) -> (n, 500)."""
    return shapes.unfold(0, 2 * CONTEXT + 1, 1).flatten(1)


def smooth(rows: Tensor) -> Tensor:
    """Smooth (n, m) rows with a Gaussian along the second axis."""
    reach = round(4 * ENVELOPE)
    padded = F.pad(rows[:, None], (reach, reach), mode="replicate")
    return F.conv1d(padded, smoothing(reach).to(rows)[None, None])[:, 0]


def smoothing(reach: int) -> Tensor:
    """Return the (2 * reach + 1,) weights of the Gaussian."""
    steps = torch.arange(-reach, reach + 1, dtype=torch.float32)
    weights = (-0.5 * (steps / ENVELOPE).square()).exp()
    return weights / weights.sum()
