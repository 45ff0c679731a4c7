"""Run fish-speech's generation with our noise, restricted to the codes that a frame may contain."""

from typing import Any

import torch
from torch import Tensor

from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.noise import exponential, frame_keys


class Drawing:
    """Replaces upstream's random choice by our noise, one codebook after another."""

    def __init__(self, model: Any, seed: int, residual_size: int) -> None:
        tokenizer = model.tokenizer
        self.begin, self.end = tokenizer.semantic_begin_id, tokenizer.get_token_id("<|im_end|>")
        self.semantic = len(tokenizer.semantic_id_to_token_id)
        self.seed, self.calls, self.codebooks = seed, 0, model.config.num_codebooks
        self.residual_size = residual_size
        self.device = model.embeddings.weight.device

    def __call__(self, probabilities: Tensor) -> Tensor:
        frame, codebook = divmod(self.calls, self.codebooks)
        self.calls += 1
        keys = frame_keys(*(torch.tensor([number], device=self.device) for number in (self.seed, frame)))
        if codebook:
            noise = exponential(keys, codebook, self.residual_size)[0]
        else:
            noise = torch.ones_like(probabilities)
            drawn = exponential(keys, 0, self.semantic + 1)[0]
            noise[self.begin : self.begin + self.semantic] = drawn[:-1]
            noise[self.end] = drawn[-1]
        return (probabilities / noise).argmax(-1, keepdim=True).to(torch.int)

    def mask(self, logits: Tensor) -> Tensor:
        """Mask all logits except those of semantic codes and the end token."""
        kept = torch.full_like(logits, -torch.inf)
        kept[..., self.begin : self.begin + self.semantic] = logits[..., self.begin : self.begin + self.semantic]
        kept[..., self.end] = logits[..., self.end]
        return kept


def generate(model: Any, prompt: Tensor, frames: int, sampling: Sampling, residual_size: int) -> Tensor:
    """Generate (codebooks, n) codes of at most `frames` frames after a (codebooks + 1, t) prompt, without the end token."""
    from fish_speech.models.text2semantic import inference

    drawing = Drawing(model, sampling.seed, residual_size)
    plain_choice, plain_forward = inference.multinomial_sample_one_no_sync, model.forward_generate

    def masked(*args: Any, **kwargs: Any) -> Any:
        result = plain_forward(*args, **kwargs)
        result.logits = drawing.mask(result.logits)
        return result

    inference.multinomial_sample_one_no_sync = drawing
    model.forward_generate = masked
    try:
        out = inference.generate(
            model=model,
            prompt=prompt,
            max_new_tokens=frames,
            audio_masks=None,
            audio_parts=None,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            repetition_penalty=sampling.repetition_penalty,
        )
    finally:
        inference.multinomial_sample_one_no_sync = plain_choice
        del model.forward_generate
    made = out[:, prompt.shape[1] :]
    ended = (made[0] == drawing.end).nonzero()
    return made[1:, : int(ended[0])] if len(ended) else made[1:]


def prompt(model: Any, text: str, transcript: str, codes: Tensor) -> Tensor:
    """Build the prompt of upstream's `generate_long` from a reference and a text."""
    from fish_speech.content_sequence import ContentSequence, TextPart, VQPart

    sequence = ContentSequence(modality="interleave")
    sequence.append([TextPart(text=transcript), VQPart(codes=codes)], add_end=True, speaker=0)
    sequence.append([TextPart(text=text)], add_end=False, speaker=0)
    values, _, _ = sequence.encode_for_inference(model.tokenizer, num_codebooks=model.config.num_codebooks)
    return values


def speak(model: Any, decode: Any, prompt: Tensor, frames: int) -> int:
    """Generate as upstream's inference does. Return the number of frames."""
    from fish_speech.models.text2semantic import inference

    out = inference.generate(
        model=model,
        prompt=prompt,
        max_new_tokens=frames,
        audio_masks=None,
        audio_parts=None,
        decode_one_token=decode,
        temperature=0.7,
        top_p=0.7,
        repetition_penalty=1.2,
    )
    return out.shape[1] - prompt.shape[1]
