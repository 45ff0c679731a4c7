"""What F5 made, in the timbre of its reference (`engines.timbre`), before the vocoder."""

from torch import Tensor

from engines.timbre import LEAST, MOST, KnownVoices, Timbre, in_context, levelled, loud_frames, shapes_of, smooth


def matched(mel: Tensor, reference: Tensor, share: float, known: KnownVoices | None = None) -> Tensor:
    """(n, 100) log-mel, and the reference's (m, 100) -> (n, 100) with its timbre, unless it is like a `known` voice.

    `share` is that of what sets frames apart.
    """
    loud, timbre = loud_frames(mel), Timbre.of(reference, known)
    if timbre is None or not timbre.strength or int(loud.sum()) < LEAST:
        return mel
    envelopes = smooth(mel)
    mean = envelopes[loud].mean(0)
    shapes = shapes_of(envelopes - mean)
    change = timbre.lent(shapes, in_context(shapes), share) * loud[:, None]
    return mel + timbre.colour(levelled(mean)) + smooth(change.T).T.clamp(-MOST, MOST)
