"""The installed recogniser, pocketsphinx with the English model in its wheel, asked in three ways.

It aligns a line whose words are known, finds the phones without knowing any word, and hears words of its own choice.
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
RATE_HZ = 16_000  # of its acoustic model
FRAME_S = 0.01
LEVEL_LUFS = -20.0
PAD_S = 0.2  # it drops a word that begins with the sound
HISS = 1e-4  # digital silence upsets its tracking of noise
LONGEST_S = 120.0  # beyond this nothing is looked for
FILLERS = ("<", "[", "+")  # how its words for silence, breath and noise begin
# A known line must be found whole however badly it fits. A lattice's best path may leave the last word out.
WHOLE = {"beam": 1e-300, "pbeam": 1e-300, "wbeam": 1e-300, "maxhmmpf": -1, "bestpath": False}


@dataclass(frozen=True, slots=True)
class FramedPhone:
    phone: str
    start: int  # frames
    length: int


@dataclass(frozen=True, slots=True)
class FramedWord:
    """A spoken word where it was found; its score is a log likelihood in the recogniser's unit."""

    word: str
    start: int  # frames of the padded sound
    length: int
    score: int
    phones: tuple[FramedPhone, ...]


class Recogniser:
    """One process's decoders, made when first needed (0.1 s; hearing freely 0.5 s). Not for several threads."""

    def __init__(self) -> None:
        self._decoders: dict[str, Any] = {}

    def align(self, pcm: bytes, words: Sequence[str]) -> tuple[FramedWord, ...]:
        """The words, each where it fits best, all of them in their order; empty where they cannot be placed."""
        decoder = self._decoder("align", lm=None, **WHOLE)
        if not words or not pcm or not all(self._known(decoder, word) for word in words):
            return ()
        try:
            decoder.set_align_text(" ".join(words))
            _decode(decoder, pcm)
            decoder.set_alignment()
            _decode(decoder, pcm)
        except RuntimeError:  # too little sound for so many words, or none
            return ()
        found = tuple(_framed(word) for word in decoder.get_alignment() if not word.name.startswith(FILLERS))
        return found if len(found) == len(words) else ()

    def free_scores(self, pcm: bytes) -> npt.NDArray[np.float64]:
        """Log likelihood of each frame under the best sequence of phones, whatever they say; shape (frames,)."""
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
        """Words of its own choice, from its dictionary and what usually follows what."""
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
        """Whether the word can be looked for; a guess at its sound is added where the dictionary lacks it."""
        if decoder.lookup_word(word) is not None:
            return True
        phones = pronounce(word)
        if phones:
            decoder.add_word(word, " ".join(phones), True)
        return bool(phones)


def pcm(audio: Audio) -> bytes:
    """The sound as the recogniser wants it, padded; empty for a sound it cannot or should not hear."""
    if not 0.0 < audio.duration_s <= LONGEST_S:
        return b""
    clean = Audio(np.nan_to_num(audio.samples, posinf=1.0, neginf=-1.0).astype(np.float32), audio.sample_rate)
    low = np.pad(resample(normalise(clean, LEVEL_LUFS), RATE_HZ).samples, round(PAD_S * RATE_HZ))
    hissing = low + np.random.default_rng(0).normal(0, HISS, len(low))
    return (np.clip(hissing, -1, 1) * 32767).astype("<i2").tobytes()


def _decode(decoder: Any, sound: bytes) -> None:
    decoder.reinit_feat()  # forgets the sound before, so that their order does not matter
    decoder.start_utt()
    decoder.process_raw(sound, full_utt=True)
    decoder.end_utt()


def _framed(word: Any) -> FramedWord:
    phones = tuple(FramedPhone(phone.name, phone.start, phone.duration) for phone in word)
    return FramedWord(word.name.partition("(")[0], word.start, word.duration, word.score, phones)
