"""Compare S1 with fish-speech on one device and the same weights: relative differences of logits, codes and audio."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench import s1_checkpoints, s1_upstream
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.kv_cache import allocate
from engines.codec_lm.prompts import Turn
from engines.codec_lm.stateful_streams import StatefulStreams
from engines.codec_lm.streaming import Packet
from engines.s1.codec import Codec
from engines.s1.frame_step import make_decoder
from engines.s1.model import S1Model
from engines.s1.prompt import embed

TRANSCRIPT, TEXT = "what the reference faults, for a good five seconds.", "Hello there, this is (excited) line 123."
# Upstream keeps its settings in bfloat16, which represents these numbers exactly.
SAMPLING = Sampling(seed=2**33 + 1, temperature=0.75, top_p=0.875, repetition_penalty=1.25)
FRAMES = 200
PACKETS = (3, 6, 12, 24)

# A tenth to a fifth of these limits was measured.
MOST = {"slow_logits": 1e-4, "fast_logits": 1e-5, "decode": 1e-5, "streamed": 1e-5}


def wrong(found: Mapping[str, Any]) -> list[str]:
    """Describe the differences from upstream in the results of `network` and `codec`; empty if there are none."""
    faults = [f"{part}: {each['failed']}" for part, each in found.items() if "failed" in each]
    held = {name: value for part in found.values() for name, value in part.items()}
    faults += [
        f"{name} is {held.get(name)}, at most {most}" for name, most in MOST.items() if not held.get(name, 1) <= most
    ]
    frames = {name: value for name, value in held.items() if name.endswith("_equal_frames")}
    drawn = found.get("network", {}).get("frames")
    faults += [f"{name} is {value} of {drawn}" for name, value in frames.items() if value != drawn]
    if held.get("frames_decoded") != found.get("codec", {}).get("frames"):
        faults.append(f"{held.get('frames_decoded')} frames were decoded")
    if not frames or held.get("codes_equal") != 1.0 or held.get("compiled_note"):
        faults.append(
            f"codes_equal is {held.get('codes_equal')}, {held.get('compiled_note') or 'no frame was generated'}"
        )
    return faults


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found - wanted).norm() / wanted.norm()).item()


def codes_of(model: S1Model, frames: int) -> Tensor:
    """Return random (codebooks, frames) codes of a reference."""
    generator = torch.Generator().manual_seed(1)
    sizes = [model.tokenizer.semantic_count, *[model.network.residual_size] * (model.network.config.codebooks - 1)]
    return torch.stack([torch.randint(size, (frames,), generator=generator) for size in sizes])


@torch.inference_mode()
def network(model: S1Model, folder: Path, compile: bool) -> dict[str, Any]:
    """Compare with upstream: the logits for an equal KV cache, and the codes sampled with equal noise."""
    device, codes = model.network.device, codes_of(model, 108)
    with s1_checkpoints.undrawn():
        upstream = s1_checkpoints.network(folder, weights=True)
    upstream = upstream.to(device, torch.float32)
    values = s1_upstream.prompt(upstream, TEXT, TRANSCRIPT, codes).to(device)
    prompt = embed(model.network, model.tokenizer, [Turn(TRANSCRIPT, codes), Turn(TEXT)], at_start=True)
    found: dict[str, Any] = {"positions": len(prompt)}
    hidden, logits = _slow(model, prompt)
    begin, count = model.network.semantic_begin, model.network.semantic_count
    wanted = super(type(upstream), upstream).forward_generate(values[None], return_all=True).logits[0]
    found["slow_logits"] = relative(logits[:, :-1], wanted[:, begin : begin + count])
    found["fast_logits"] = _fast(model, upstream, hidden[-1:], codes[:, 0].to(device))
    wanted = s1_upstream.generate(upstream, values, FRAMES, SAMPLING, model.network.residual_size).long()
    found["frames"] = wanted.shape[1]
    decoders = {form: make_decoder(model.network, 1, 1024, compile=form == "compiled") for form in _forms(compile)}
    for form, each in decoders.items():
        each.warm(1)
        drawn = speak(each, prompt, wanted.shape[1])
        differs = (drawn.to(device) != wanted).any(0).nonzero()
        found[f"{form}_equal_frames"] = int(differs[0]) if len(differs) else wanted.shape[1]
    if compile:
        found["compiled_note"] = decoders["compiled"].compiled.note  # type: ignore[union-attr]
        found["compiled_cache"] = relative(decoders["compiled"].state.cache, decoders["eager"].state.cache)
    return found


def _forms(compile: bool) -> list[str]:
    return ["eager", "compiled"] if compile else ["eager"]


@torch.inference_mode()
def moved(plain: S1Model, other: S1Model) -> float:
    """Return the relative difference of the logits along a prompt between two models with different weights."""
    turns = [Turn(TRANSCRIPT, codes_of(plain, 108)), Turn(TEXT)]
    logits = [_slow(v, embed(v.network, v.tokenizer, turns, at_start=True))[1].float() for v in (other, plain)]
    return relative(*logits)


def _slow(model: S1Model, prompt: Tensor) -> tuple[Tensor, Tensor]:
    cache = allocate(model.network.stack, 1, len(prompt), model.network.dtype, model.network.device)
    hidden = model.network.hidden_states(prompt[None], torch.arange(len(prompt), device=prompt.device)[None], cache)[0]
    return hidden, model.network.semantic_logits(hidden)


def _fast(model: S1Model, upstream: Any, hidden: Tensor, frame: Tensor) -> float:
    """Return the largest difference of the fast logits over all codebooks."""
    ours, cache = model.network, model.network.fast_cache(1)
    steps = torch.arange(len(frame), device=frame.device)
    with torch.device(frame.device):
        upstream.setup_caches(1, 1024, dtype=torch.float32)
    upstream.forward_generate_fast(upstream.fast_project_in(hidden[None]), steps[:1])
    x = torch.stack((ours.fast_project_in(hidden), ours.fast_embeddings(frame[:1])), 1)
    worst = 0.0
    for codebook in range(1, len(frame)):
        before = upstream.fast_embeddings(frame[codebook - 1][None])[None]
        wanted = upstream.forward_generate_fast(before, steps[codebook : codebook + 1])[0]
        worst = max(worst, relative(ours.forward_fast(x, 0 if codebook == 1 else codebook, cache), wanted))
        x = ours.fast_embeddings(frame[codebook])[None, None]
    return worst


@torch.inference_mode()
def speak(decoder: Decoder, prompt: Tensor, count: int, sampling: Sampling = SAMPLING) -> Tensor:
    """Generate (codebooks, count) codes of slot 0 after a prompt (t, dim)."""
    decoder.state.prefill(0, prompt[:-1], 0)
    decoder.state.start_row(0, prompt[-1], len(prompt) - 1, sampling)
    return torch.stack([decoder.step(1, len(prompt) - 1 + number).value()[0] for number in range(count)], 1)


@torch.inference_mode()
def codec(model: S1Model, folder: Path) -> dict[str, Any]:
    """Compare with upstream: the audio of equal codes, as a whole and in packets, and the codes of equal audio."""
    ours = model.codec
    device = next(ours.parameters()).device
    with s1_checkpoints.undrawn():
        upstream = s1_checkpoints.codec(folder).to(device)
    samples = 0.1 * torch.randn(ours.config.hop * 60, generator=torch.Generator().manual_seed(4)).to(device)
    codes, lengths = upstream.encode(samples[None, None])
    upstream_audio, _ = upstream.decode(codes, lengths)
    whole = ours.decode(codes[0])
    streamed, decoded = _streamed(ours, codes[0])
    return {
        "codes_equal": (ours.encode(samples) == codes[0]).float().mean().item(),
        "decode": relative(whole, upstream_audio[0, 0]),
        "streamed": ((streamed - whole).abs().max() / whole.abs().max()).item(),
        "frames": codes.shape[2],
        "frames_decoded": decoded,
    }


def _streamed(codec: Codec, codes: Tensor) -> tuple[Tensor, int]:
    streams = StatefulStreams(codec, 1, compile=False)
    slot = streams.open()
    pieces, sizes = [], [*PACKETS, *[PACKETS[-1]] * codes.shape[1]]
    decoded = 0
    while decoded < codes.shape[1]:
        piece = codes[:, decoded : decoded + sizes[len(pieces)]]
        decoded += piece.shape[1]
        pieces.append(streams.decode([Packet(slot, piece.cpu())]).value()[0])
    return torch.cat(pieces).to(codes.device), decoded
