"""Simulated listeners with known preferences, some of them careless."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from studio.listening.statistics import Conduct, Outcome, PairVote, catch_trials_due, screen

RIGHT = 0.97  # probability that an honest listener answers a catch trial right
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Press = Callable[[np.random.Generator, str], str]  # the undamaged side -> the pressed button


def honest(rng: np.random.Generator, undamaged: str) -> str:
    return undamaged if rng.random() < RIGHT else {"A": "B", "B": "A"}[undamaged]


def any_side(rng: np.random.Generator, undamaged: str) -> str:
    return "AB"[rng.integers(2)]


def any_button(rng: np.random.Generator, undamaged: str) -> str:
    return ("A", "B", "tie", "both bad")[rng.integers(4)]


def left(rng: np.random.Generator, undamaged: str) -> str:
    return "A"


def right(rng: np.random.Generator, undamaged: str) -> str:
    return "B"


def tie(rng: np.random.Generator, undamaged: str) -> str:
    return "tie"


CARELESS = (any_side, any_button, left, right, tie)


def conduct(rng: np.random.Generator, press: Press, name: str = "anna", trials: int = 20) -> Conduct:
    """Serve catch trials as `screen` asks for, and count left votes in ordinary trials without a preference."""
    if press is honest:  # the preferred arm is on a random side
        votes, left_votes = trials, int(rng.binomial(trials, 0.5))
    else:
        pressed = [press(rng, "A") for _ in range(trials)]
        left_votes, votes = pressed.count("A"), pressed.count("A") + pressed.count("B")
    found = Conduct(
        listener=name,
        catch_trials=0,
        catch_passed=0,
        votes=votes,
        left_votes=left_votes,
        median_s=12.0,
        headphones_passed=True,
    )
    while due := catch_trials_due(found):
        sides = [str(side) for side in rng.permutation(["A", "B"] * (due // 2))]
        passed = sum(press(rng, side) == side for side in sides)
        found = replace(found, catch_trials=found.catch_trials + due, catch_passed=found.catch_passed + passed)
    return found


def session(
    rng: np.random.Generator,
    arms: Sequence[str],
    odds: Sequence[Sequence[Sequence[float]]],  # [listener or 0][first * len(arms) + second]: "first", "second", "tie"
    *,
    listeners: int = 20,
    trials: int = 20,
    careless: int = 2,
) -> list[PairVote]:
    """Return the votes that are left after screening; the first `careless` listeners press a button at random."""
    presses = [CARELESS[rng.integers(2)] if place < careless else honest for place in range(listeners)]
    excluded = screen(conduct(rng, press, str(place), trials) for place, press in enumerate(presses))
    shape = listeners, trials
    first = rng.integers(len(arms), size=shape)
    second = (first + rng.integers(1, len(arms), size=shape)) % len(arms)
    ends = np.cumsum(odds, axis=2)
    own = ends[np.arange(listeners)[:, None] if len(ends) > 1 else 0, first * len(arms) + second]
    outcome = (rng.random(shape)[:, :, None] > own[:, :, :2]).sum(axis=2)
    votes = []
    for place, press in enumerate(presses):
        if str(place) in excluded:
            continue
        for line in range(trials):
            answer = OUTCOMES[outcome[place, line]]
            if press is not honest:
                answer = {"A": OUTCOMES[0], "B": OUTCOMES[1]}.get(press(rng, "A"), OUTCOMES[2])
            votes.append(
                PairVote(
                    listener=str(place),
                    line=str(line),
                    first=arms[first[place, line]],
                    second=arms[second[place, line]],
                    outcome=answer,
                )
            )
    return votes
