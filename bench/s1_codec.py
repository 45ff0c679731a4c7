"""Compare S1's codec, which decodes streams together, with upstream's, which decodes single clips, and with float32."""

import copy
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench import s1_checkpoints
from bench.machine import wait
from bench.s1_timing import median_s
from engines.codec_lm.stateful_streams import StatefulStreams
from engines.s1.codec import Codec

STREAMS, FRAMES = 32, 16


@torch.inference_mode()
def measure(folder: Path, codec: Codec, device: torch.device, tiny: bool) -> dict[str, Any]:
    """Return seconds of audio per second for `STREAMS` streams of `FRAMES` frames, and relative differences of the audio."""
    streams_count = 4 if tiny else STREAMS
    with s1_checkpoints.undrawn():
        upstream = s1_checkpoints.codec(folder).to(device)
    sizes = [codec.config.semantic_size, *[codec.config.residual_size] * codec.config.residual_codebooks]
    generator = torch.Generator().manual_seed(2)
    codes = torch.stack([torch.randint(size, (streams_count, FRAMES), generator=generator) for size in sizes], 1)
    codes, lengths = codes.to(device), torch.full((1,), FRAMES, device=device)
    torch.backends.cudnn.allow_tf32 = False
    exact = torch.cat([upstream.decode(clip[None], lengths)[0][:, 0] for clip in codes])
    found: dict[str, Any] = {"difference": {}, "sound_s_s": {}, "ms": {}}
    sound_s = streams_count * FRAMES / codec.config.frame_rate

    def measured(name: str, work: Any) -> None:
        sound: Tensor = work()
        difference = ((sound - exact).norm() / exact.norm()).item()
        spent_s = median_s(work, nullcontext, 3)
        found["difference"][name] = difference
        found["ms"][name] = round(1000 * spent_s, 2)
        found["sound_s_s"][name] = round(sound_s / spent_s, 1)

    def one_by_one(dtype: torch.dtype | None) -> Tensor:
        with torch.autocast(device.type, dtype or torch.bfloat16, enabled=dtype is not None):
            return torch.cat([upstream.decode(clip[None], lengths)[0][:, 0].float() for clip in codes])

    def together(streams: StatefulStreams, fused: bool) -> Tensor:
        streams._kept.zero_()
        streams._positions.zero_()
        if fused:
            return streams._batches._run((streams_count, FRAMES))
        return streams._decode(torch.arange(streams_count, device=device), codes)

    measured("upstream float32 one by one", lambda: one_by_one(None))
    measured("upstream bfloat16 one by one", lambda: one_by_one(torch.bfloat16))
    for dtype in (torch.float32, torch.float16, torch.bfloat16) if device.type == "cuda" else (torch.float32,):
        streams = StatefulStreams(copy.deepcopy(codec).to(dtype), streams_count, compile=False)
        measured(f"ours eager {dtype}", lambda streams=streams: together(streams, fused=False))
        if device.type == "cuda" and dtype != torch.float32:
            from engines.s1.codec_fused import FusedCodec

            fused = StatefulStreams(
                streams.codec, streams_count, True, lambda codec=streams.codec: FusedCodec(codec).decode_packets
            )
            batches = fused._batches
            batches.buckets.append((streams_count, FRAMES))
            batches._numbers = torch.arange(streams_count, device=device)
            batches._codes[:, :, :FRAMES] = codes
            wait()
            measured(f"ours graphed {dtype}", lambda streams=fused: together(streams, fused=True))
            found[f"note {dtype}"] = fused.compiled.note if fused.compiled else ""
    base = found["ms"]["upstream float32 one by one"]
    found["times_upstream_float32"] = {name: round(base / ms, 2) for name, ms in found["ms"].items()}
    return found
