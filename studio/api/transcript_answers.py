"""Answers of `POST /v1/audio/transcriptions` in OpenAI's formats."""

import math
import zlib
from collections.abc import Sequence
from typing import Any, Literal

from fastapi import Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from studio.ears.captions import HeardSegment, captions, segments, srt, vtt
from studio.ears.vocabulary import HeardWord
from studio.languages import name_of
from studio.references.transcription import HeardFile

TranscriptFormat = Literal["json", "text", "srt", "verbose_json", "vtt"]
Granularity = Literal["word", "segment"]
MEDIA_TYPES = {"text": "text/plain", "srt": "application/x-subrip", "vtt": "text/vtt"}
LEAST = 1e-6  # lowest confidence, because its logarithm is reported


class AudioUsage(BaseModel):
    """OpenAI's usage of models that are billed by length."""

    type: Literal["duration"] = "duration"
    seconds: int  # rounded up


class TranscribedWord(BaseModel):
    """A word and its times in seconds."""

    word: str
    start: float
    end: float
    confidence: float  # 0 to 1; OpenAI has no such member


class TranscribedSegment(BaseModel):
    """A sentence, or a part of a sentence. Members that this recogniser cannot measure have the values of clear speech."""

    id: int
    seek: int = 0
    start: float
    end: float
    text: str
    tokens: list[int] = []
    temperature: float = 0.0
    avg_logprob: float
    compression_ratio: float
    no_speech_prob: float = 0.0


class Transcribed(BaseModel):
    """The answer in the format `json`."""

    text: str
    usage: AudioUsage


class TranscribedVerbose(Transcribed):
    """The answer in the format `verbose_json`. Only the requested granularities are present."""

    task: Literal["transcribe"] = "transcribe"
    language: str = "english"  # the English name in lower case, as in OpenAI's answers
    duration: float
    words: list[TranscribedWord] | None = None
    segments: list[TranscribedSegment] | None = None


CONTENT: dict[str, Any] = {media: {"schema": {"type": "string"}} for media in MEDIA_TYPES.values()}


def answer(
    heard: HeardFile, format: TranscriptFormat, granularities: Sequence[Granularity], headers: dict[str, str]
) -> Response:
    """Return the words of a file in a format; `granularities` apply to `verbose_json`."""
    words, text = heard.transcript.words, heard.transcript.text
    if format in MEDIA_TYPES:
        body = {"text": lambda: f"{text}\n", "srt": lambda: srt(captions(words)), "vtt": lambda: vtt(captions(words))}
        return Response(body[format](), media_type=MEDIA_TYPES[format], headers=headers)
    usage = AudioUsage(seconds=math.ceil(heard.duration_s))
    if format == "json":
        return JSONResponse(Transcribed(text=text, usage=usage).model_dump(), headers=headers)
    verbose = TranscribedVerbose(
        text=text,
        usage=usage,
        language=name_of(heard.transcript.language).lower(),
        duration=round(heard.duration_s, 3),
        words=[_word(word) for word in words] if "word" in granularities else None,
        segments=[_segment(id, one) for id, one in enumerate(segments(words))] if "segment" in granularities else None,
    )
    return JSONResponse(verbose.model_dump(exclude_none=True), headers=headers)


def _word(word: HeardWord) -> TranscribedWord:
    return TranscribedWord(word=word.text, start=word.start_s, end=word.end_s, confidence=round(word.confidence, 3))


def _segment(id: int, one: HeardSegment) -> TranscribedSegment:
    logs = [math.log(max(LEAST, word.confidence)) for word in one.words]
    written = one.text.encode()
    return TranscribedSegment(
        id=id,
        start=round(one.start_s, 3),
        end=round(one.end_s, 3),
        text=one.text,
        avg_logprob=round(sum(logs) / len(logs), 4),
        compression_ratio=round(len(written) / len(zlib.compress(written)), 4),
    )
