"""Correct the timbre of F5's output towards the reference (`engines.timbre`), before the vocoder."""

from torch import Tensor

from engines.timbre import (
    MAX_CHANGE,
    MIN_LOUD_FRAMES,
    KnownVoices,
    Timbre,
    in_context,
    levelled,
    loud_frames,
    shapes_of,
    smooth,
)


def matched(mel: Tensor, reference: Tensor, share: float, known: KnownVoices | None = None) -> Tensor:
    """Correct a (n, 100) log-mel towards the reference's (m, 100), unless the reference is like a `known` voice.

    `share` scales the correction of single frames; the mean is corrected in full.
    """
    loud, timbre = loud_frames(mel), Timbre.of(reference, known)
    if timbre is None or not timbre.strength or int(loud.sum()) < MIN_LOUD_FRAMES:
        return mel
    envelopes = smooth(mel)
    mean = envelopes[loud].mean(0)
    shapes = shapes_of(envelopes - mean)
    change = timbre.shape_correction(shapes, in_context(shapes), share) * loud[:, None]
    return mel + timbre.mean_correction(levelled(mean)) + smooth(change.T).T.clamp(-MAX_CHANGE, MAX_CHANGE)
