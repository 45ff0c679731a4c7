"""Hear what the codec keeps: copy-synthesis read by an outside recogniser and an outside speaker encoder."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.corpus.recording import write_wav
from training.corpus.spelling import words
from training.evaluation import recognizer
from training.evaluation.edit_distance import edits
from training.s1.codec import upstream, weights
from training.s1.codec.crops import read_utterances

log = logging.getLogger(__name__)
RATE = 24_000


def evaluate(
    checkpoint: Path, data: Path, count: int = 50, levels: int | None = None, wavs: Path | None = None
) -> dict[str, Any]:
    """Word errors above the original's own, likeness and decode RTF; logged and written beside the weights."""
    model = _packaged(checkpoint)
    pairs = read_utterances(data, count, seconds=12)
    copies, seconds = [], 0.0
    speak(model, pairs[0][1], levels)  # the first call also allocates
    for number, (_, audio) in enumerate(pairs):
        made, spent = speak(model, audio, levels)
        copies.append(made)
        seconds += spent
        if wavs:
            keep(wavs / f"{number:02d}-original.wav", audio)
            keep(wavs / f"{number:02d}-copy.wav", made)
    originals, texts = [audio for _, audio in pairs], [text for text, _ in pairs]
    own, ours = word_errors(texts, originals), word_errors(texts, copies)
    figures = {
        "utterances": len(pairs),
        "wer_original": own,
        "wer_copy": ours,
        "wer_above": ours - own,
        "likeness": likeness(originals, copies),
        "decode_rtf": seconds / (sum(map(len, copies)) / RATE),
        "levels": levels,
        "parameters": sum(p.numel() for p in model.parameters()),
    }
    log.info("%s", json.dumps(figures, indent=1))
    (checkpoint / "figures.json").write_text(json.dumps(figures, indent=1))
    return figures


def _packaged(checkpoint: Path) -> Any:
    """The package's own model, with its weight norms, filled as its loader fills it."""
    model: Any = upstream.build(upstream.parse_config(weights.read_config(checkpoint)))
    names = [name for name, _ in model.named_parameters()]
    state = weights.upstream_state(weights.read_state(checkpoint), names)
    missing = [name for name in names if name not in state]
    if missing:
        raise KeyError(f"no weight for {missing[:4]}; the checkpoint is of another form")
    model.load_state_dict(state, strict=False)
    return model.eval()


@torch.inference_mode()
def speak(model: Any, audio: np.ndarray, levels: int | None = None) -> tuple[np.ndarray, float]:
    """Audio through the package's `encode` and `decode`: what comes back, and the seconds decoding took."""
    codes, lengths = model.encode(torch.from_numpy(audio)[None, None])
    began = time.perf_counter()
    made, _ = model.decode(codes[:, :levels], lengths)
    return made[0, 0, : len(audio)].numpy(), time.perf_counter() - began


def word_errors(texts: list[str], clips: list[np.ndarray]) -> float:
    """Word error rate over all clips together."""
    wanted = [words(text) for text in texts]
    wrong = sum(edits(line, recognizer.hear(clip)) for line, clip in zip(wanted, clips, strict=True))
    return wrong / sum(map(len, wanted))


def likeness(originals: list[np.ndarray], copies: list[np.ndarray]) -> float:
    """Mean cosine between the voice prints of each original and its copy."""
    pairs = zip(originals, copies, strict=True)
    return float(np.mean([recognizer.voice_print(one) @ recognizer.voice_print(other) for one, other in pairs]))


def keep(path: Path, audio: np.ndarray) -> None:
    write_wav(path, (np.clip(audio, -1, 1) * 32767).astype(np.int16))
