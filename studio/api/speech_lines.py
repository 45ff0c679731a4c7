"""The text of a line that arrives at a WebSocket in pieces, and is spoken sentence by sentence."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

from engines.text import MAX_CHARACTERS, SentenceReader, open_tags
from studio.api.programs import Stream
from studio.api.speech_messages import BadMessage, Message
from studio.telemetry.answer_times import AnswerTimes


class Line:
    """One text that arrives in pieces, and its answer."""

    def __init__(self, message: Message, stream: Stream, has_words: Callable[[str], bool]) -> None:
        """Start with the first message. A sentence without words is spoken together with the next one."""
        self.message, self.stream = message, stream
        # Directions that wait for the next sentence, and tags such as [voice:basil] that are still open.
        self._has_words, self._held = has_words, ""
        self.arrived_at = time.monotonic()
        self.answers: list[AnswerTimes] = []  # of all submitted sentences, also sent ones; ended with the line
        self._sentences: asyncio.Queue[str | None] = asyncio.Queue()  # None marks the end
        self._reader = SentenceReader()
        self._characters = 0
        self._begun = False  # True if there is a sentence to speak

    @property
    def as_text(self) -> bool:
        return self.message.encoding == "base64"

    def add(self, text: str, more: bool) -> None:
        """Add the next piece of the text. Raises BadMessage."""
        if self._characters + len(text) > MAX_CHARACTERS:
            raise BadMessage(
                f"this line has more than {MAX_CHARACTERS:,} characters; end the line and start a new line"
            )
        self._characters += len(text)
        sentence = self._reader.add(text)
        if not more:
            sentence += self._reader.rest()
        has_words = bool(sentence) and self._has_words(sentence)
        sentence = self._held + sentence
        self._held = open_tags(sentence) if has_words else sentence
        if has_words or not (more or self._begun):  # a line without words is refused when it is spoken
            self._begun = True
            self._sentences.put_nowait(sentence)
        if not more:
            self._sentences.put_nowait(None)

    async def sentences(self) -> AsyncIterator[str]:
        """Yield each sentence when it is complete."""
        while not self.stream.stopped and (sentence := await self._sentences.get()) is not None:
            yield sentence

    def cancel(self) -> None:
        self.stream.stop()
        self._sentences.put_nowait(None)
