"""Hear what the codec keeps: copy-synthesis read by an outside recogniser and an outside speaker encoder."""

import importlib.util
import json
import logging
import re
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assets.voices.s1 import upstream, weights
from assets.voices.s1.crops import read_utterances

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
            wavs.mkdir(parents=True, exist_ok=True)
            write_wav(wavs / f"{number:02d}-original.wav", audio)
            write_wav(wavs / f"{number:02d}-copy.wav", made)
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
    """Word error rate of pocketsphinx over all clips together."""
    import jiwer
    import pocketsphinx

    decoder = pocketsphinx.Decoder(samprate=16000, loglevel="FATAL")
    heard = []
    for clip in clips:
        decoder.start_utt()
        decoder.process_raw(_pcm(_to_16k(clip)), full_utt=True)
        decoder.end_utt()
        guess = decoder.hyp()
        heard.append(_words(guess.hypstr) if guess else "")
    return float(jiwer.wer([_words(text) for text in texts], heard))


def likeness(originals: list[np.ndarray], copies: list[np.ndarray]) -> float | None:
    """Mean cosine between Resemblyzer's embeddings of each original and its copy; None where it is absent."""
    if importlib.util.find_spec("resemblyzer") is None:
        log.warning("resemblyzer is not installed: no likeness")
        return None
    from resemblyzer import VoiceEncoder, preprocess_wav

    encoder = VoiceEncoder("cpu", verbose=False)
    cosines = []
    for original, made in zip(originals, copies, strict=True):
        ours, theirs = (encoder.embed_utterance(preprocess_wav(_to_16k(clip), 16000)) for clip in (made, original))
        cosines.append(float(np.dot(ours, theirs)))
    return float(np.mean(cosines))


def write_wav(path: Path, audio: np.ndarray) -> None:
    """Mono, 16 bit, 24 kHz."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(_pcm(audio))


def _pcm(audio: np.ndarray) -> bytes:
    return (np.clip(audio, -1, 1) * 32767).astype("<i2").tobytes()


def _to_16k(audio: np.ndarray) -> np.ndarray:
    from scipy.signal import resample_poly

    return resample_poly(audio, 2, 3).astype(np.float32)


def _words(text: str) -> str:
    return re.sub(r"[^a-z' ]+", " ", re.sub(r"\(\d+\)", "", text.lower())).strip()
