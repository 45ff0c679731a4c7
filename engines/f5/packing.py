"""Pack sequences of unequal length into one row of frames, so that no step computes or attends to padding.

A guided row has two sequences: one with reference and text, one without. An unguided row has only the first.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.f5.backends import has_product_attention, has_varlen_attention
from engines.runtime.transfers import to_device

GAP = 15  # frames between sequences: the reach of a convolution along the frames


class Packing(NamedTuple):
    """The assignment of a step's n frames to sequences; frames after the end of a sequence belong to none."""

    position: Tensor  # (n,) of a frame in its sequence; -1 after the end
    row: Tensor  # (n,) row of each frame
    shown: Tensor  # (n,) index of the corresponding frame with reference and text
    hidden: Tensor  # (n,) index of the corresponding frame without them; of the same frame in an unguided row
    starts: Tensor  # (s + 1,) int32 first frame of each sequence, then n; empty sequences may follow
    lengths: Tensor  # (s,) int32 frames of each sequence
    spans: tuple[
        tuple[int, int, int], ...
    ]  # start, end and next start of each; () in recorded inputs, which must fit every step

    def to(self, device: torch.device) -> "Packing":
        """Copy the packing to a device without waiting."""
        position, row, shown, hidden = to_device(torch.stack(self[:4]), device).unbind()
        starts, lengths = to_device(self.starts, device), to_device(self.lengths, device)
        return Packing(position, row, shown, hidden, starts, lengths, self.spans)


def needed_frames(rows: Sequence[tuple[int, int]]) -> int:
    """Count the frames that rows need, each given as frames and sequences."""
    return sum((frames + GAP) * sequences for frames, sequences in rows) - GAP


def pack(rows: Sequence[tuple[int, int]], frames: int = 0, sequences: int = 0) -> Packing:
    """Pack rows, each given as frames and sequences, on the CPU, padded to these numbers of frames and sequences."""
    frames = frames or needed_frames(rows)
    row, (shown, hidden) = torch.zeros(frames, dtype=torch.long), torch.arange(frames).repeat(2, 1)
    position = torch.full((frames,), -1)
    spans = []
    start = 0
    for number, (length, count) in enumerate(rows):
        first, last = start, start + (count - 1) * (length + GAP)
        for _ in range(count):
            own, start = slice(start, start + length), start + length + GAP
            row[own], position[own] = number, torch.arange(length)
            shown[own], hidden[own] = torch.arange(first, first + length), torch.arange(last, last + length)
            spans.append((own.start, own.stop, min(start, frames)))
    spans[-1] = (*spans[-1][:2], frames)
    empty = max(0, sequences - len(spans))
    starts = [begin for begin, _, _ in spans] + [frames] * (empty + 1)
    lengths = [end - begin for begin, end, _ in spans] + [0] * empty
    counted = torch.tensor(starts, dtype=torch.int32), torch.tensor(lengths, dtype=torch.int32)
    return Packing(position, row, shown, hidden, counted[0], counted[1], tuple(spans))


def attend(q: Tensor, k: Tensor, v: Tensor, packing: Packing | None) -> Tensor:
    """Compute attention within each sequence: (b, n, heads, d) each; b is 1 for packed rows."""
    if packing is None:
        return _attend(q, k, v)
    if has_varlen_attention(q.device.type, q.dtype):
        frames, starts = q.shape[1], packing.starts
        out, *_ = torch.ops.aten._flash_attention_forward.default(
            q[0], k[0], v[0], starts, starts, frames, frames, 0.0, False, False, seqused_k=packing.lengths
        )
        return out[None]
    if packing.spans:
        parts = [_attend(q[:, a:z], k[:, a:b], v[:, a:b]) for a, b, z in packing.spans]
        return parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)
    sequence = torch.bucketize(torch.arange(q.shape[1], device=q.device), packing.starts[1:], right=True)
    return _attend(q, k, v, (sequence[:, None] == sequence) & (packing.position >= 0))


def _attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    q, k, v = (each.transpose(1, 2) for each in (q, k, v))
    if mask is None and has_product_attention(q.device.type, q.dtype):
        weights = (q / math.sqrt(q.shape[-1]) @ k.transpose(2, 3)).softmax(-1)
        return (weights @ v).transpose(1, 2)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)
