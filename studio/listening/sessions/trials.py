"""The trials of one listener, drawn from the listener's seed: the same seed gives the same trials."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal

from studio.listening.sessions.session import PAIRED, SessionPlan
from studio.listening.statistics.screening import CATCH_TRIALS, EXTRA_CATCH_TRIALS

TrialKind = Literal["practice", "trial", "catch"]
Treatment = Literal["", "anchor", "damaged", "clip"]
LineAndArms = tuple[int, tuple[int, ...]]  # index of the line, indices of the arms


@dataclass(frozen=True, slots=True)
class SessionSide:
    """A sound of a trial: the take of an arm, a changed form of this take, or the clip of the arm's voice."""

    arm: int  # index
    treatment: Treatment = ""  # "anchor": below 3.5 kHz; "damaged": obviously bad; "clip": the clip of the arm's voice


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTrial:
    """A trial of a listener."""

    kind: TrialKind
    line: int  # index
    sides: tuple[SessionSide, ...]
    reference: SessionSide | None = None  # the open reference; of ABX, the sound X

    @property
    def right(self) -> int | None:
        """Return the index of the side that is the right answer in ABX or in a catch trial; None without a right answer."""
        if any(side.treatment == "anchor" for side in self.sides):
            return None  # MUSHRA: the hidden reference is no answer
        if self.reference in self.sides:
            return self.sides.index(self.reference)
        whole = [at for at, side in enumerate(self.sides) if side.treatment != "damaged"]
        return whole[0] if len(whole) < len(self.sides) and whole else None


def trials_of(
    plan: SessionPlan, seed: int, weights: Sequence[float] = (), *, further_catches: bool = False
) -> tuple[SessionTrial, ...]:
    """Return a listener's trials: practice first, then the others, with catch trials between them.

    With `weights`, pairs of arms are drawn at random, some more often than others. `further_catches` adds catch trials at the
    end, for a listener with one wrong answer. The other trials stay.
    """
    drawn = random.Random(seed)
    draws = _lines_and_arms(plan, drawn, weights)
    practice = [_trial(plan, "practice", *one, drawn) for one in islice(draws, plan.practice)]
    trials = [_trial(plan, "trial", *one, drawn) for one in islice(draws, plan.trials)]
    if has_catches(plan):
        places = sorted((drawn.randint(1, plan.trials) for _ in range(CATCH_TRIALS)), reverse=True)
        for at, left in zip(places, _lefts(CATCH_TRIALS, drawn), strict=True):
            trials.insert(at, _catch(plan, next(draws), left))
        if further_catches:
            trials += [_catch(plan, next(draws), left) for left in _lefts(EXTRA_CATCH_TRIALS, drawn)]
    return (*practice, *trials)


def _lefts(count: int, drawn: random.Random) -> list[bool]:
    """Return whether the damaged side of each catch trial is on the left, which holds for half of them."""
    return drawn.sample([True, False] * (count // 2), count)


def has_catches(plan: SessionPlan) -> bool:
    """Return True if listeners get catch trials. MUSHRA needs none: its hidden reference and anchor find careless listeners."""
    return plan.catches and plan.method != "mushra"


def _lines_and_arms(plan: SessionPlan, drawn: random.Random, weights: Sequence[float]) -> Iterator[LineAndArms]:
    """Yield a line and the arms of a trial, without end.

    Without weights, all arms or pairs of arms come equally often. Each arm of a pair is equally often on the left, and lines
    repeat as late as possible.
    """
    groups = groups_of(plan)
    lines = list(range(len(plan.lines)))
    turned = [drawn.random() < 0.5 for _ in groups]
    while True:
        rounds = [drawn.sample(lines, len(lines)) for _ in groups]
        for turn in range(len(lines)):
            for at in _order(len(groups), weights, drawn):
                turned[at] = not turned[at]
                yield rounds[at][turn], groups[at][::-1] if turned[at] else groups[at]


def _order(count: int, weights: Sequence[float], drawn: random.Random) -> list[int]:
    places = range(count)
    return drawn.choices(places, weights, k=count) if weights else drawn.sample(places, count)


def groups_of(plan: SessionPlan) -> list[tuple[int, ...]]:
    """Return the arms that a trial of the method can have."""
    arms = range(len(plan.arms))
    if plan.method in PAIRED:
        return list(combinations(arms, 2))
    return [(arm,) for arm in arms] if plan.method == "mos" else [tuple(arms)]


def _trial(plan: SessionPlan, kind: TrialKind, line: int, arms: Sequence[int], drawn: random.Random) -> SessionTrial:
    sides = [SessionSide(arm) for arm in arms]
    if plan.method == "mushra":
        sides.append(SessionSide(plan.reference, "anchor"))
        drawn.shuffle(sides)
    return SessionTrial(kind=kind, line=line, sides=tuple(sides), reference=_reference(plan, sides, drawn))


def _catch(plan: SessionPlan, line_and_arms: LineAndArms, left: bool) -> SessionTrial:
    """Return a trial with an obvious answer; `left` puts the damaged side on the left. A rating trial has only this side."""
    line, (arm, *_) = line_and_arms
    damaged, whole = SessionSide(arm, "damaged"), SessionSide(arm)
    if plan.method == "mos":
        return SessionTrial(kind="catch", line=line, sides=(damaged,))
    clip = SessionSide(arm, "clip") if plan.method == "ab_reference" else None
    return SessionTrial(
        kind="catch",
        line=line,
        sides=(damaged, whole) if left else (whole, damaged),
        reference=whole if plan.method == "abx" else clip,
    )


def _reference(plan: SessionPlan, sides: Sequence[SessionSide], drawn: random.Random) -> SessionSide | None:
    if plan.method == "abx":
        return drawn.choice(sides)
    if plan.method == "mushra":
        return SessionSide(plan.reference)
    return SessionSide(sides[0].arm, "clip") if plan.method == "ab_reference" else None
