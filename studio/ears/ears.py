"""The ears of the studio: a service that hears clips and takes in child processes of low priority.

A child process starts on first use, and ends when idle. It is replaced when it dies, when it is too slow, and when it uses too
much memory. The resident size is read after each task. A limit of the address space is not usable, because CTranslate2 and
torch reserve far more than they use.
"""

import logging
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import LifoQueue
from typing import TypeVar, TypeVarTuple, cast

from engines.text.language_tags import ENGLISH
from engines.types import Audio
from studio.ears.child import DIED, Child
from studio.ears.listening import transcribe
from studio.ears.models import Models
from studio.ears.placing import align
from studio.ears.tasks import Failure
from studio.ears.vocabulary import TimedWord, Transcript, TypedWord
from studio.ears.weights import EMBEDDED
from studio.errors import Unavailable

log = logging.getLogger(__name__)
Given = TypeVarTuple("Given")
T = TypeVar("T")

IDLE_S = 120.0
WITHIN_S, TIMES_S = 120.0, 6.0  # time limit of a task: WITHIN_S, plus TIMES_S for each second of audio
RSS_MAX = 2_000_000_000  # bytes; 0.25 GB are usual, 0.8 GB with the models of the take checks
THREADS = 2
OFF = "speech recognition is off; remove STUDIO_EARS=off from the environment and restart the studio"


class EarsFailed(Unavailable):
    """The ears are off, or could not hear this audio; the message gives the reason."""


class EarsOff(EarsFailed):
    """The settings turn the ears off."""


class Ears:
    """Hears clips and takes. Thread-safe. A task waits until a child process is free."""

    def __init__(
        self,
        source: str = EMBEDDED,
        *,
        on: bool = True,
        children: int = 1,
        idle_s: float = IDLE_S,
        within_s: float = WITHIN_S,
        rss_max: int = RSS_MAX,
        command: tuple[str, ...] = (),
    ) -> None:
        """Use `source` as the recogniser (see `weights.py`), in at most `children` processes. `on=False` starts none."""
        self._on, self._within_s = on, within_s
        used = command or (sys.executable, "-m", "studio.ears.process", source, str(THREADS))
        self._children = [Child(used, idle_s, rss_max) for _ in range(children)]
        # Last in, first out: the child that worked last has its models loaded.
        self._free: LifoQueue[Child] = LifoQueue()
        for child in self._children:
            self._free.put(child)
        self._later = ThreadPoolExecutor(children, "ears")

    @property
    def on(self) -> bool:
        """Return False if the settings turn the ears off."""
        return self._on

    def require_on(self) -> None:
        """Raise EarsOff if the settings turn the ears off."""
        if not self._on:
            raise EarsOff(OFF)

    @property
    def pids(self) -> tuple[int, ...]:
        """Return the ids of the running child processes."""
        return tuple(child.pid for child in self._children if child.pid)

    def pause(self) -> None:
        """Suspend the child processes until `resume`. Processes that start during the pause run."""
        for child in self._children:
            child.pause()

    def resume(self) -> None:
        """Continue the suspended child processes."""
        for child in self._children:
            child.resume()

    def transcribe(self, clip: Audio, language: str = "") -> Transcript:
        """Return the words of a clip; without a language, a multilingual model detects it. Raises EarsFailed."""
        return self.ask(transcribe, clip, language)

    def why_unheard(self, language: str) -> str:
        """Return why the recogniser cannot hear a language; empty if it can. Raises EarsFailed."""
        return self.ask(Models.why_unheard, language)

    def align(self, clip: Audio, words: Sequence[TypedWord], language: str = ENGLISH) -> tuple[TimedWord, ...]:
        """Return the words with their times; empty if they cannot be placed or the ears are off. Raises EarsFailed."""
        return self.ask(align, clip, tuple(words), language) if self._on else ()

    def ask(self, task: Callable[[Models, *Given], T], *given: *Given) -> T:
        """Run a task in a child process and wait for its answer. The task and its answer are pickled. Raises EarsFailed."""
        self.require_on()
        child = self._free.get()
        try:
            answer = child.ask(task, given, self._limit_s(given))
        finally:
            self._free.put(child)
        if answer is DIED:
            raise EarsFailed("speech recognition took too long; try again with shorter audio")
        if isinstance(answer, Failure):
            log.warning("speech recognition failed: %s", answer.message)
            said = (
                answer.message
                if answer.expected
                else f"speech recognition failed ({answer.message}); try again, or read the log of the studio"
            )
            raise EarsFailed(said)
        return cast(T, answer)

    def later(self, task: Callable[[Models, *Given], T], *given: *Given) -> Future[T]:
        """Run a task without waiting. The result can be cancelled until the task starts."""
        return self._later.submit(lambda: self.ask(task, *given))

    def close(self) -> None:
        """End the child processes; tasks that wait are cancelled."""
        self._later.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.close()

    def _limit_s(self, given: Sequence[object]) -> float:
        return self._within_s + TIMES_S * sum(one.duration_s for one in given if isinstance(one, Audio))
