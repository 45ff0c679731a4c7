"""Davidson's model of paired comparisons: Bradley-Terry with ties, with a weak prior.

Arms i and j have log strengths a and b. The odds of "i wins", "j wins" and "tie" are exp((a - b) / 2), exp((b - a) / 2)
and exp(t). Without ties, i wins with probability 1 / (1 + exp(b - a)). Source: R. R. Davidson, "On Extending the
Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments", JASA 65 (1970).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

STRENGTH_SD = 2.5  # of the normal prior of a log strength: keeps an arm that wins all its votes finite
TIE_SD = 2.0  # of the normal prior of the log odds of a tie
MOST_STEPS = 100
LONGEST_STEP = 2.0  # longer Newton steps may overshoot
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteArrays:
    """Votes as arrays with one element for each vote."""

    first: Whole  # index of an arm
    second: Whole
    outcome: Whole  # 0: first wins, 1: second wins, 2: tie
    listener: Whole  # index of a listener


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Log strengths less their mean, with two estimates of their standard errors."""

    strengths: Floats
    model_errors: Floats  # as if all votes were independent
    listener_errors: Floats | None  # from the differences between listeners; None for a single listener


def fit(votes: VoteArrays, arms: int) -> Fit:
    """Fit the model to votes in which each of `arms` arms occurs.

    `listener_errors` come from a jackknife over listeners: one Newton step from the estimate gives each estimate without
    one listener.
    """
    design = _design(votes, arms)
    chosen = design[np.arange(len(votes.outcome)), votes.outcome]
    precision = np.array([STRENGTH_SD**-2.0] * arms + [TIE_SD**-2.0])
    at = np.zeros(arms + 1)
    for _ in range(MOST_STEPS):
        means, information = _moments(design, at)
        total = information.sum(axis=0) + np.diag(precision)
        step = np.linalg.solve(total, (chosen - means).sum(axis=0) - precision * at)
        at = at + step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), TOLERANCE))
        if np.abs(step).max() < TOLERANCE:
            break
    centre = np.eye(arms, arms + 1) - np.r_[np.full(arms, 1 / arms), 0.0]
    listeners = int(votes.listener.max()) + 1
    return Fit(
        strengths=centre @ at,
        model_errors=_errors(centre, np.linalg.inv(total)),
        listener_errors=_errors(centre, _jackknife(votes.listener, chosen - means, information, total))
        if listeners > 1
        else None,
    )


def _design(votes: VoteArrays, arms: int) -> Floats:
    """Return the design array [vote, outcome, parameter]; parameters: log strengths, then ties."""
    count = len(votes.outcome)
    design = np.zeros((count, 3, arms + 1))
    each = np.arange(count)
    design[each, 0, votes.first] = 0.5
    design[each, 0, votes.second] = -0.5
    design[:, 1] = -design[:, 0]
    design[:, 2, arms] = 1.0
    return design


def _moments(design: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Return each vote's expected row of the design, and its Fisher information, at these parameters."""
    odds = np.exp(design @ at)
    shares = odds / odds.sum(axis=1, keepdims=True)
    means = np.einsum("vo,vop->vp", shares, design)
    apart = design - means[:, None, :]
    return means, np.einsum("vop,voq->vpq", shares[:, :, None] * apart, apart)


def _jackknife(listener: Whole, scores: Floats, information: Floats, total: Floats) -> Floats:
    """Return the covariance of the parameters from estimates that leave out one listener each."""
    listeners = int(listener.max()) + 1
    own_scores = np.zeros((listeners, scores.shape[1]))
    own_information = np.zeros((listeners, *total.shape))
    np.add.at(own_scores, listener, scores)
    np.add.at(own_information, listener, information)
    moves = np.linalg.solve(total - own_information, own_scores[:, :, None])[:, :, 0]
    moves = moves - moves.mean(axis=0)
    return (listeners - 1) / listeners * moves.T @ moves


def _errors(centre: Floats, covariance: Floats) -> Floats:
    return np.sqrt(np.maximum(np.diag(centre @ covariance @ centre.T), 0.0))
