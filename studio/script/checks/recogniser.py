"""The installed recogniser, pocketsphinx with the English model of its wheel, in three modes.

It aligns a line whose words are known, decodes phones without knowing the words, and recognises words freely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engines.audio import normalise, resample
from engines.types import Audio
from studio.script.checks.pronunciation import pronounce
from studio.script.checks.wording import spoken_words

NAME = "pocketsphinx"
RATE_HZ = 16_000  # rate of the acoustic model
FRAME_S = 0.01
LEVEL_LUFS = -20.0
PAD_S = 0.2  # the recogniser drops a word at the very start of the audio
HISS = 1e-4  # level of added noise, because digital silence disturbs the tracking of noise
LONGEST_S = 120.0  # longer audio is not analysed
FILLERS = ("<", "[", "+")  # first characters of its words for silence, breath and noise
# Align the whole line, however badly it fits. The best path of a lattice may omit the last word.
WHOLE = {"beam": 1e-300, "pbeam": 1e-300, "wbeam": 1e-300, "maxhmmpf": -1, "bestpath": False}


@dataclass(frozen=True, slots=True)
class FramedPhone:
    """A phone and its position in frames."""

    phone: str
    start: int  # frames
    length: int


@dataclass(frozen=True, slots=True)
class FramedWord:
    """A spoken word and its position; the score is a log likelihood in the recogniser's unit."""

    word: str
    start: int  # frames of the padded sound
    length: int
    score: int
    phones: tuple[FramedPhone, ...]


class Recogniser:
    """The decoders of one process, created when first needed (0.1 s; for free recognition 0.5 s). Not thread-safe."""

    def __init__(self) -> None:
        self._decoders: dict[str, Any] = {}

    def align(self, pcm: bytes, words: Sequence[str]) -> tuple[FramedWord, ...]:
        """Return all words in order, each where it fits best; empty if they cannot be aligned."""
        decoder = self._decoder("align", lm=None, **WHOLE)
        if not words or not pcm or not all(self._known(decoder, word) for word in words):
            return ()
        try:
            decoder.set_align_text(" ".join(words))
            _decode(decoder, pcm)
            decoder.set_alignment()
            _decode(decoder, pcm)
        except RuntimeError:  # too little audio for the words
            return ()
        found = tuple(_framed(word) for word in decoder.get_alignment() if not word.name.startswith(FILLERS))
        return found if len(found) == len(words) else ()

    def free_scores(self, pcm: bytes) -> npt.NDArray[np.float64]:
        """Return the log likelihood of each frame under the best sequence of any phones; shape (frames,)."""
        from pocketsphinx import get_model_path

        model = get_model_path("en-us/en-us-phone.lm.bin")
        decoder = self._decoder("phones", lm=None, allphone=model, lw=2.0, beam=1e-20, pbeam=1e-20)
        _decode(decoder, pcm)
        segments = [*(decoder.seg() or ())] if decoder.hyp() else []
        scores = [
            np.full(s.end_frame - s.start_frame + 1, s.ascore / (s.end_frame - s.start_frame + 1)) for s in segments
        ]
        return np.concatenate(scores) if scores else np.zeros(0)

    def hear(self, pcm: bytes) -> tuple[str, ...]:
        """Return the words that the recogniser finds by its dictionary and language model."""
        decoder = self._decoder("open")
        _decode(decoder, pcm)
        found = decoder.hyp()
        return spoken_words(found.hypstr) if found and found.hypstr else ()

    def _decoder(self, purpose: str, **options: object) -> Any:
        if purpose not in self._decoders:
            from pocketsphinx import Decoder  # optional

            self._decoders[purpose] = Decoder(samprate=RATE_HZ, loglevel="FATAL", **options)
        return self._decoders[purpose]

    def _known(self, decoder: Any, word: str) -> bool:
        """Return True if the word can be aligned; if the dictionary lacks the word, add a guessed pronunciation."""
        if decoder.lookup_word(word) is not None:
            return True
        phones = pronounce(word)
        if phones:
            decoder.add_word(word, " ".join(phones), True)
        return bool(phones)


def pcm(audio: Audio) -> bytes:
    """Return the audio in the recogniser's format, padded; empty if the audio is empty or too long."""
    if not 0.0 < audio.duration_s <= LONGEST_S:
        return b""
    clean = Audio(np.nan_to_num(audio.samples, posinf=1.0, neginf=-1.0).astype(np.float32), audio.sample_rate)
    low = np.pad(resample(normalise(clean, LEVEL_LUFS), RATE_HZ).samples, round(PAD_S * RATE_HZ))
    hissing = low + np.random.default_rng(0).normal(0, HISS, len(low))
    return (np.clip(hissing, -1, 1) * 32767).astype("<i2").tobytes()


def _decode(decoder: Any, sound: bytes) -> None:
    decoder.reinit_feat()  # resets the features, so that results do not depend on earlier audio
    decoder.start_utt()
    decoder.process_raw(sound, full_utt=True)
    decoder.end_utt()


def _framed(word: Any) -> FramedWord:
    phones = tuple(FramedPhone(phone.name, phone.start, phone.duration) for phone in word)
    return FramedWord(word.name.partition("(")[0], word.start, word.duration, word.score, phones)
