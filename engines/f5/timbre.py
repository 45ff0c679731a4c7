"""The timbre of what was made, brought nearer to the reference's, for checkpoints that follow a stranger's voice too little.

Frames take after those of the reference that are most like them, as in kNN-VC (Baas et al. 2023, arXiv:2305.18975), but in
their spectral envelopes and by a share, so that words stay what they are; and the mean envelope becomes the reference's.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

LOUD = 1e-3  # of the loudest frame's power: frames that count
LEAST = 30  # loud frames, of either, without which nothing is changed
ENVELOPE = 1.0  # bands, and frames, that a Gaussian smooths over
CONTEXT = 2  # frames before and behind, by which frames are compared
SHARPNESS = 20.0  # how little a frame of the reference counts that is farther than the nearest
EXACT = 1e-3  # distance below which frames are the same
MOST = 2.0  # that a band changes by, natural logarithm of a magnitude
MIDDLE = slice(5, 60)  # bands whose mean level stays


def matched(mel: Tensor, reference: Tensor, share: float) -> Tensor:
    """(n, 100) log-mel, and the reference's (m, 100) -> (n, 100) with its timbre; `share` of what sets frames apart."""
    loud, reference_loud = _loud(mel), _loud(reference)
    if min(int(loud.sum()), int(reference_loud.sum())) < LEAST:
        return mel
    own, wanted = _smooth(mel), _smooth(reference)
    mean, wanted_mean = own[loud].mean(0), wanted[reference_loud].mean(0)
    shapes, wanted_shapes = _shapes(own - mean), _shapes(wanted - wanted_mean)
    distances = torch.cdist(_in_context(shapes), _in_context(wanted_shapes)[reference_loud])
    farther = distances / distances.amin(1, keepdim=True).clamp(min=EXACT)
    weights = (-SHARPNESS * farther.square()).softmax(1)
    change = share * (weights @ wanted_shapes[reference_loud] - shapes) * loud[:, None]
    colour = wanted_mean - mean
    return mel + (colour - colour[MIDDLE].mean()).clamp(-MOST, MOST) + _smooth(change.T).T.clamp(-MOST, MOST)


def _loud(mel: Tensor) -> Tensor:
    """(n,) whether a frame is."""
    power = (2 * mel).exp().sum(1)
    return power > LOUD * power.max()


def _shapes(envelopes: Tensor) -> Tensor:
    """(n, 100) without each frame's level."""
    return envelopes - envelopes.mean(1, keepdim=True)


def _in_context(shapes: Tensor) -> Tensor:
    """(n, 100) -> (n, 500): each beside its neighbours."""
    padded = F.pad(shapes.T[None], (CONTEXT, CONTEXT), mode="replicate")[0].T
    return padded.unfold(0, 2 * CONTEXT + 1, 1).reshape(len(shapes), -1)


def _smooth(rows: Tensor) -> Tensor:
    """(n, m) along the second axis."""
    reach = round(4 * ENVELOPE)
    steps = torch.arange(-reach, reach + 1, device=rows.device, dtype=rows.dtype)
    weights = (-0.5 * (steps / ENVELOPE).square()).exp()
    padded = F.pad(rows[:, None], (reach, reach), mode="replicate")
    return F.conv1d(padded, (weights / weights.sum())[None, None])[:, 0]
