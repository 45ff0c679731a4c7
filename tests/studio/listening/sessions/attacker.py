"""An attacker who guesses the arm of a side from everything that a browser receives, except by listening."""

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
import numpy as np
import soundfile

from engines.types import Audio, Samples
from studio.ears.quality import heard_lufs
from studio.listening.sessions.listeners import QUIET
from studio.listening.sessions.sounds import LEAD_S
from tests.studio.listening.sessions.visit import Guest

BAND_DB = -60.0
Sent = dict[str, float]  # what one side sent, by channel


@dataclass
class Trials:
    """What both sides of trials sent, left first, and which arm was on the left."""

    sent: list[tuple[Sent, Sent]] = field(default_factory=list)
    left_arm: list[int] = field(default_factory=list)

    def guessed(self, leaky: str = "", leak: float = 0.0) -> tuple[float, str]:
        """Return the largest share of right guesses, and its channel. `leak` is planted in the channel `leaky`, for arm 1.

        The rule for a channel comes from the first half of the trials, the guesses are about the second half.
        """
        return max((self._share(name, leak if name == leaky else 0.0), name) for name in self.sent[0][0])

    def _share(self, name: str, leak: float) -> float:
        is_left = np.array(self.left_arm) == 1
        left, right = (np.array([sides[at][name] for sides in self.sent]) for at in (0, 1))
        higher = (left + leak * is_left) - (right + leak * ~is_left)
        equal = higher == 0.0
        higher[equal] = np.random.default_rng(1).choice([-1.0, 1.0], equal.sum())
        half = len(higher) // 2
        agrees = (higher > 0.0) == is_left
        return float(agrees[half:].mean() if agrees[:half].mean() >= 0.5 else 1.0 - agrees[half:].mean())


def measured(answer: httpx.Response, seconds: float) -> Sent:
    """Measure address, headers, size and time of an answer, and those properties of its audio that are not speech."""
    samples, rate = soundfile.read(io.BytesIO(answer.content), dtype="float32")
    spectrum = np.abs(np.fft.rfft(samples)) ** 2
    loud = np.flatnonzero(spectrum > spectrum.max() * 10 ** (BAND_DB / 10))
    levels = np.abs(samples)
    end = int(np.flatnonzero(levels > QUIET * levels.max()).max()) + 1
    return {
        "name": float(sum(map(ord, answer.url.path))),
        "header": float(sum(len(name) + len(value) for name, value in answer.headers.raw)),
        "size": float(len(answer.content)),
        "timing": seconds,
        "bandwidth": 500.0 * round(loud.max() * rate / len(samples) / 500.0),
        "loudness": round(heard_lufs(Audio(samples[:end], rate)), 1),
        "first": float(np.argmax(samples != 0.0)),
        "last": float(np.flatnonzero(samples).max()),
        "lead": _level(samples[: round(LEAD_S * rate)]),
        "tail": _level(samples[-round(LEAD_S * rate) :]),
        "onset": round(float(np.argmax(np.abs(samples) > 0.03 * np.abs(samples).max())) / rate, 2),
        "length": len(samples) / rate,
    }


def _level(samples: Samples) -> float:
    """Return the level in whole dB."""
    return round(10 * np.log10(np.mean(np.square(samples)) + 1e-12))


def spied(guests: Sequence[Guest], left_arms: Callable[[], list[int]]) -> Trials:
    """Let guests vote on all their trials, one guest after another. `left_arms` returns the left arms of all votes."""
    trials = Trials()
    for guest in guests:
        while guest.state["stage"] == "trials":
            sides = []
            for one in guest.state["trial"]["sounds"]:
                begun = time.perf_counter()
                answer = guest.client.get(f"{guest.path}/{one['url']}")
                sides.append(measured(answer, time.perf_counter() - begun))
            trials.sent.append((sides[0], sides[1]))
            guest.vote(choice="a")
    trials.left_arm = left_arms()
    return trials
