"""What F5 made, in the timbre of its reference (`engines.timbre`), before the vocoder."""

from torch import Tensor

from engines.timbre import LEAST, MOST, Timbre, in_context, levelled, loud_frames, shapes_of, smooth


def matched(mel: Tensor, timbre: Timbre, share: float) -> Tensor:
    """(n, 100) log-mel -> (n, 100) with the reference's timbre; `share` of what sets frames apart."""
    loud = loud_frames(mel)
    if int(loud.sum()) < LEAST:
        return mel
    envelopes = smooth(mel)
    mean = envelopes[loud].mean(0)
    shapes = shapes_of(envelopes - mean)
    change = timbre.lent(shapes, in_context(shapes), share) * loud[:, None]
    return mel + timbre.colour(levelled(mean)) + smooth(change.T).T.clamp(-MOST, MOST)
