"""Evaluate the codec by copy synthesis, with an independent recogniser and speaker encoder."""

import json
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engines.originals import fish_codec
from training.corpus.spelling import words
from training.evaluation.edit_distance import edits
from training.evaluation.recognizer import recognize
from training.evaluation.speaker_encoder import embed
from training.references import RATE_HZ, Clip, write_clip
from training.s1.codec import weights
from training.s1.codec.crops import read_utterances
from training.s1.codec.options import CodecEvaluationOptions

log = logging.getLogger(__name__)


def evaluate(options: CodecEvaluationOptions) -> dict[str, Any]:
    """Return word errors of originals and copies, likeness and decode RTF; also log them and write them to the checkpoint."""
    model = _packaged(options.checkpoint)
    texts, originals = zip(*read_utterances(options.data, options.count, seconds=12), strict=True)
    copy_synthesis(model, originals[0], options.levels)  # the first call also allocates
    copies, spent_s = zip(*(copy_synthesis(model, clip, options.levels) for clip in originals), strict=True)
    if options.wavs:
        for number, (original, copy) in enumerate(zip(originals, copies, strict=True)):
            write_clip(options.wavs / f"{number:02d}-original.wav", original)
            write_clip(options.wavs / f"{number:02d}-copy.wav", copy)
    own, ours = word_error_rate(texts, originals), word_error_rate(texts, copies)
    figures = {
        "utterances": len(texts),
        "wer_original": own,
        "wer_copy": ours,
        "wer_above": ours - own,
        "likeness": likeness(originals, copies),
        "decode_rtf": sum(spent_s) / (sum(map(len, copies)) / RATE_HZ),
        "levels": options.levels,
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    log.info("%s", json.dumps(figures, indent=1))
    (options.checkpoint / "codec-figures.json").write_text(json.dumps(figures, indent=1))
    return figures


def _packaged(checkpoint: Path) -> Any:
    """Return the package's model with weight norms and the checkpoint's weights."""
    model: Any = fish_codec.build(fish_codec.parse_config(weights.read_config(checkpoint)))
    names = [name for name, _ in model.named_parameters()]
    state = weights.upstream_state(weights.read_state(checkpoint), names)
    missing = [name for name in names if name not in state]
    if missing:
        raise KeyError(f"no weight for {missing[:4]}; the checkpoint is of another form")
    model.load_state_dict(state, strict=False)
    return model.eval()


@torch.inference_mode()
def copy_synthesis(model: Any, clip: Clip, levels: int | None = None) -> tuple[Clip, float]:
    """Return the copy of a clip after the package's `encode` and `decode`, and the seconds of decoding."""
    codes, lengths = model.encode(torch.from_numpy(clip)[None, None])
    began = time.perf_counter()
    made, _ = model.decode(codes[:, :levels], lengths)
    return made[0, 0, : len(clip)].numpy(), time.perf_counter() - began


def word_error_rate(texts: Sequence[str], clips: Sequence[Clip]) -> float:
    """Return the word error rate over all clips together."""
    wanted = [words(text) for text in texts]
    wrong = sum(edits(line, recognize(clip)) for line, clip in zip(wanted, clips, strict=True))
    return wrong / sum(map(len, wanted))


def likeness(originals: Sequence[Clip], copies: Sequence[Clip]) -> float:
    """Return the mean cosine between the speaker embeddings of originals and copies."""
    pairs = zip(originals, copies, strict=True)
    return float(np.mean([embed(one) @ embed(other) for one, other in pairs]))
