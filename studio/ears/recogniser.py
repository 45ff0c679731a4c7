"""Whisper in CTranslate2. The recogniser transcribes unknown speech, and scores and places given words.

Decoding is deterministic: a beam search without sampling, without the text of earlier passages and without voice activity
detection. Importing this module does not load the recogniser's libraries.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from engines.text.language_tags import ENGLISH, subtags
from studio.ears.sound import MARGIN_S, RATE_HZ, SILENCE_S, WINDOW_MIN_S, WINDOW_S, Passage
from studio.ears.spoken import WITHOUT_SPACES, written_words
from studio.ears.vocabulary import HeardWord

NAME = "whisper"
FRAME_S = 0.02  # length of an encoder frame
MEL_FRAMES_S = 100  # mel frames in a second
BEAM = 5
TOKENS_A_SECOND, TOKENS_MIN = 10, 12  # maximum number of tokens in a transcript, so that a hallucination ends
TOKENS_MAX = 200
WHISPER_NAMES = {"nb": "no", "cmn": "zh", "fil": "tl", "jv": "jw", "iw": "he"}  # Whisper's names, by the names in tags
LEAST = 1e-6  # lowest probability, because its logarithm is used


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A passage that the network has encoded, and the lines that were scored on it."""

    passage: Passage
    features: Any  # a StorageView of shape (1, frames, width)
    # The scored words by Whisper's name of the language and the line.
    scores: dict[tuple[str, tuple[str, ...]], tuple["ScoredWord", ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A given word with its times, and the log probabilities of its tokens, given the words before it."""

    start_s: float  # from the start of the passage
    end_s: float
    logs: tuple[float, ...]

    @property
    def log(self) -> float:
        """Return the mean log probability of a token."""
        return sum(self.logs) / max(1, len(self.logs))


def whisper_name(language: str) -> str:
    """Return Whisper's name of the language of a BCP 47 tag."""
    primary = subtags(language)[0]
    return WHISPER_NAMES.get(primary, primary)


class Recogniser:
    """A loaded speech recognition model. Not thread-safe.

    Each thread computes a line alone, because the words of a line depend on each other: two threads for one transcript take
    1.5 times as long as one.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        self._whisper = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1, num_workers=threads)
        several, tokens = self._whisper.model.is_multilingual, self._whisper.hf_tokenizer
        self.languages = frozenset(self._whisper.supported_languages)  # as Whisper names them; see `whisper_name`
        self._tokens = cache(lambda name: Tokenizer(tokens, several, task="transcribe", language=name))
        self._workers = ThreadPoolExecutor(threads, "recogniser")
        self._silence: Encoded | None = None

    def detect(self, encoded: Encoded) -> str:
        """Return the language of a passage, as Whisper names it."""
        if len(self.languages) == 1:
            return ENGLISH
        ((token, _), *_), *_ = self._whisper.model.detect_language(encoded.features)
        return str(token).strip("<|>")

    def encode(self, passage: Passage) -> Encoded:
        """Encode a passage. This takes most of the time."""
        from faster_whisper.transcribe import get_ctranslate2_storage

        window_s = min(WINDOW_S, max(WINDOW_MIN_S, passage.length_s + 2 * MARGIN_S + SILENCE_S))
        window = np.pad(passage.samples, (0, max(0, round(window_s * RATE_HZ) - len(passage.samples))))
        mel = self._whisper.feature_extractor(window)[:, : 2 * round(window_s * MEL_FRAMES_S / 2)]
        storage = get_ctranslate2_storage(np.ascontiguousarray(mel)[None])
        return Encoded(passage, self._whisper.model.encode(storage, to_cpu=True))

    def hear(self, encoded: Encoded, language: str = ENGLISH) -> tuple[HeardWord, ...]:
        """Return the words of a passage, with times in seconds of the clip. The text is not known."""
        passage, tokens = encoded.passage, self._tokens(whisper_name(language))
        most = min(TOKENS_MAX, TOKENS_MIN + round(TOKENS_A_SECOND * passage.length_s))
        prompt = [*tokens.sot_sequence, tokens.no_timestamps]
        found = self._whisper.model.generate(encoded.features, [prompt], beam_size=BEAM, max_length=most)[0]
        said = written_words(tokens.decode([id for id in found.sequences_ids[0] if id < tokens.eot]), language)
        scored = self.score(encoded, [said], language)[0] if said else ()
        return tuple(_heard(word, one, passage) for word, one in zip(said, scored, strict=True))

    def score(
        self, encoded: Encoded, lines: Sequence[Sequence[str]], language: str = ENGLISH
    ) -> list[tuple[ScoredWord, ...]]:
        """Return the words of each line with scores and times in the passage. The words must have capitals and punctuation."""
        score = partial(self._score_once, encoded, whisper_name(language))
        return list(self._workers.map(score, map(tuple, lines)))

    def _score_once(self, encoded: Encoded, name: str, line: tuple[str, ...]) -> tuple[ScoredWord, ...]:
        if (name, line) not in encoded.scores:
            encoded.scores[name, line] = self._score(encoded, name, line)
        return encoded.scores[name, line]

    def _score(self, encoded: Encoded, name: str, line: Sequence[str]) -> tuple[ScoredWord, ...]:
        frames = round(MEL_FRAMES_S * (encoded.passage.length_s + 2 * MARGIN_S))
        tokens, gap = self._tokens(name), "" if name in WITHOUT_SPACES else " "
        words = [tokens.encode(f"{gap}{word}") for word in line]
        text = [id for word in words for id in word]
        (found,) = self._whisper.model.align(encoded.features, tokens.sot_sequence, [text], frames)
        return tuple(_scored(found, words))

    def score_unheard(self, lines: Sequence[Sequence[str]], language: str = ENGLISH) -> list[tuple[ScoredWord, ...]]:
        """Score lines without audio, which shows how likely the recogniser finds the text alone."""
        if self._silence is None:
            length_s = 4.0
            empty = np.zeros(round((length_s + 2 * MARGIN_S) * RATE_HZ), np.float32)
            self._silence = self.encode(Passage(empty, 0.0, length_s))
        return self.score(replace(self._silence, scores={}), lines, language)


def _heard(word: str, scored: ScoredWord, passage: Passage) -> HeardWord:
    start_s, end_s = (min(max(at, 0.0), passage.length_s) + passage.start_s for at in (scored.start_s, scored.end_s))
    confidence = float(np.exp(min(scored.logs[: max(1, len(scored.logs))], default=0.0)))
    return HeardWord(text=word, start_s=round(start_s, 3), end_s=round(end_s, 3), confidence=round(confidence, 4))


def _scored(found: Any, words: Sequence[Sequence[int]]) -> Iterator[ScoredWord]:
    """Yield each word of an alignment. A word ends where the first token of the next word begins."""
    steps, frames = (np.array(column) for column in zip(*found.alignments, strict=True))
    starts = frames[np.flatnonzero(np.diff(steps, prepend=-1))] * FRAME_S - MARGIN_S
    logs = np.log(np.maximum(np.array(found.text_token_probs), LEAST))
    place = 0
    for ids in words:
        end = place + len(ids)
        last = starts[end] if end < len(starts) else starts[-1]
        yield ScoredWord(float(starts[min(place, len(starts) - 1)]), float(last), tuple(map(float, logs[place:end])))
        place = end
