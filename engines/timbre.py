"""The timbre of what was made, brought nearer to the reference's, for checkpoints that follow a stranger's voice too little.

Frames take after those of the reference that are most like them, as in kNN-VC (Baas et al. 2023, arXiv:2305.18975), but in
their spectral envelopes and by a share, so that words stay what they are; a frame that has none like it in the reference
takes less. And the mean envelope becomes the reference's. All this by how strange the reference is: one that is like a voice
which the checkpoint knows is followed without it.

A log-mel is F5's: 100 bands up to 12 kHz, natural logarithms of magnitudes, 93.75 frames a second.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.errors import BadCheckpoint

BANDS = 100
LOUD = 1e-3  # of the loudest frame's power: frames that count
LEAST = 30  # loud frames without which a recording has no timbre
ENVELOPE = 1.0  # bands, and frames, that a Gaussian smooths over
CONTEXT = 2  # frames before and behind, by which frames are compared
SHARPNESS = 20.0  # how little a frame of the reference counts that is farther than the nearest
EXACT = 1e-3  # distance below which frames are the same
LIKE = 12.0  # distance beyond which a frame has none like it in the reference, and is lent less the farther it is
MOST = 2.0  # that a band changes by, natural logarithm of a magnitude
MIDDLE = slice(5, 60)  # bands whose mean level stays
VOICES = "voices.npz"  # of a checkpoint: the voices that it knows, as (n, 100) log-mels in bytes
LOWEST, STEP = -12.0, 0.1  # of such a log-mel: what 0 is, and how much more 1 is
NEAR, FAR = 14.0, 15.0  # distance from the known voices up to which nothing is lent, and from which all is


@dataclass(frozen=True, slots=True, eq=False)
class KnownVoices:
    """Voices that a checkpoint follows by itself."""

    neighbourhoods: Tensor  # (n, 500) of all of them

    @classmethod
    def read(cls, folder: Path) -> "KnownVoices | None":
        """Those of a checkpoint's folder, if it tells of any. Raises BadCheckpoint."""
        path = folder / VOICES
        if not path.is_file():
            return None
        try:
            with np.load(path) as held:
                mels = [torch.from_numpy(held[name]).float().view(-1, BANDS) * STEP + LOWEST for name in held.files]
            found = [timbre.neighbourhoods for mel in mels if (timbre := Timbre.of(mel)) is not None]
            return cls(torch.cat(found))
        except Exception as error:  # a file of anybody's: numpy, zipfile and zlib each have their own errors
            raise BadCheckpoint(f"{path.name} cannot be read; fetch it again, or remove it") from error

    def strangeness(self, neighbourhoods: Tensor) -> float:
        """Of a voice with these (n, 500): 0 if it is like a known one, 1 if it is far from all."""
        distance = torch.cdist(neighbourhoods, self.neighbourhoods.to(neighbourhoods)).amin(1).mean()
        return float(((distance - NEAR) / (FAR - NEAR)).clamp(0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Timbre:
    """Of a recording's loud frames, as log-mels of 100 bands."""

    mean: Tensor  # (100,) envelope, without the level of its MIDDLE
    shapes: Tensor  # (m, 100) envelopes around the mean, without each frame's level
    neighbourhoods: Tensor  # (m, 500) of the shapes
    strength: float  # 0 to 1: of all that is lent

    @classmethod
    def of(cls, mel: Tensor, known: KnownVoices | None = None) -> "Timbre | None":
        """Of a (n, 100) log-mel; None where too little of it is loud. Nothing of it is lent if it is like a `known` voice."""
        loud = loud_frames(mel)
        if int(loud.sum()) < LEAST:
            return None
        envelopes = smooth(mel)
        mean = envelopes[loud].mean(0)
        shapes = shapes_of(envelopes - mean)
        neighbourhoods = in_context(shapes)[loud]
        strength = 1.0 if known is None else known.strangeness(neighbourhoods)
        return cls(levelled(mean), shapes[loud], neighbourhoods, strength)

    def colour(self, mean: Tensor, share: float = 1.0) -> Tensor:
        """(..., 100) mean envelopes, without level -> what must be added to have the reference's, by `share`."""
        return (self.strength * share * (self.mean - mean)).clamp(-MOST, MOST)

    def lent(self, shapes: Tensor, neighbourhoods: Tensor, share: float) -> Tensor:
        """(n, 100) shapes of frames -> what must be added to be nearer, by `share`, to the reference's most like them."""
        distances = torch.cdist(neighbourhoods, self.neighbourhoods)
        nearest = distances.amin(1, keepdim=True)
        weights = (-SHARPNESS * (distances / nearest.clamp(min=EXACT)).square()).softmax(1)
        shares = self.strength * share * LIKE / nearest.clamp(min=LIKE)
        return shares * (weights @ self.shapes - shapes)


def power_of(mel: Tensor) -> Tensor:
    """(n, 100) log-mel -> (n,) power of each frame."""
    return (2 * mel).exp().sum(1)


def loud_frames(mel: Tensor) -> Tensor:
    """(n, 100) log-mel -> (n,) whether a frame is loud."""
    power = power_of(mel)
    return power > LOUD * power.max()


def levelled(envelopes: Tensor) -> Tensor:
    """(..., 100) envelopes without the level of their MIDDLE."""
    return envelopes - envelopes[..., MIDDLE].mean(-1, keepdim=True)


def shapes_of(envelopes: Tensor) -> Tensor:
    """(n, 100) without each frame's level."""
    return envelopes - envelopes.mean(1, keepdim=True)


def in_context(shapes: Tensor) -> Tensor:
    """(n, 100) -> (n, 500): each beside its neighbours."""
    padded = F.pad(shapes.T[None], (CONTEXT, CONTEXT), mode="replicate")[0].T
    return neighbourhoods_in(padded)


def neighbourhoods_in(shapes: Tensor) -> Tensor:
    """(n + 4, 100) -> (n, 500): those that have all their neighbours, beside them."""
    return shapes.unfold(0, 2 * CONTEXT + 1, 1).flatten(1)


def smooth(rows: Tensor) -> Tensor:
    """(n, m) along the second axis."""
    reach = round(4 * ENVELOPE)
    padded = F.pad(rows[:, None], (reach, reach), mode="replicate")
    return F.conv1d(padded, smoothing(reach).to(rows)[None, None])[:, 0]


def smoothing(reach: int) -> Tensor:
    """(2 * reach + 1,) weights of what lies around."""
    steps = torch.arange(-reach, reach + 1, dtype=torch.float32)
    weights = (-0.5 * (steps / ENVELOPE).square()).exp()
    return weights / weights.sum()
