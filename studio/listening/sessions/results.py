"""Results of a listening session: votes become statistics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf

from studio.listening.sessions.conduct import conduct, is_passed, scores_of, trial_of
from studio.listening.sessions.rows import ListenerRow, VoteRow
from studio.listening.sessions.session import SessionPlan
from studio.listening.sessions.trials import SessionSide, SessionTrial
from studio.listening.statistics import (
    AbxResult,
    MushraResult,
    Opinion,
    Outcome,
    PairVote,
    Preference,
    Ranking,
    Rating,
    abx,
    agreement,
    mushra,
    opinion,
    preference,
    rank,
    screen,
)

ANCHOR = "anchor"
Vote = tuple[VoteRow, SessionTrial]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """The votes on two arms (indices)."""

    first: int
    second: int
    result: Preference | AbxResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResults:
    """The results of the counted votes. Arms are their indices as text; a method leaves out what it does not measure."""

    votes: Sequence[Vote]  # counted
    excluded: Mapping[str, str]  # id of the listener: reason
    ranking: Ranking | None = None
    pairs: Sequence[PairResult] = ()
    opinions: Mapping[str, Opinion] | None = None
    mushra: MushraResult | None = None
    agreement: float | None = None
    best: int | None = (
        None  # arm with the best result; None before the first vote, and for ABX, which has no better side
    )
    sure: bool = False  # the best arm is better than each other arm with 95 % confidence


def results_of(plan: SessionPlan, listeners: Sequence[ListenerRow], votes: Sequence[VoteRow]) -> SessionResults:
    """Return the results of all votes of a session."""
    by_listener: dict[str, list[VoteRow]] = {row.id: [] for row in listeners}
    for vote in votes:
        by_listener.setdefault(vote.listener_id, []).append(vote)
    conducts = [conduct(row, by_listener[row.id]) for row in listeners]
    excluded = screen(conducts)
    counted = list(_counted(votes, excluded))
    if plan.method == "mushra":
        return _mushra(plan, counted, excluded)
    if plan.method == "mos":
        ratings = list(_ratings(counted))
        opinions = opinion(ratings)
        best, sure = _highest(opinions)
        return SessionResults(
            votes=counted, excluded=excluded, opinions=opinions, agreement=agreement(ratings), best=best, sure=sure
        )
    return _paired(plan, counted, excluded)


def _mushra(plan: SessionPlan, counted: Sequence[Vote], excluded: Mapping[str, str]) -> SessionResults:
    scored = mushra(_ratings(counted), str(plan.reference), ANCHOR)
    kept = [(vote, trial) for vote, trial in counted if vote.listener_id not in scored.excluded]
    candidates = {arm: one for arm, one in scored.opinions.items() if arm not in (ANCHOR, str(plan.reference))}
    best = _highest(candidates)[0] if len(candidates) > 1 else None
    own = [one for one in scored.contrasts if str(best) in (one.first, one.second)]
    return SessionResults(
        votes=kept,
        excluded={**excluded, **scored.excluded},
        mushra=scored,
        opinions=scored.opinions,
        agreement=agreement(_ratings(kept)),
        best=best,
        sure=bool(own) and all(one.decided for one in own),
    )


def _highest(opinions: Mapping[str, Opinion]) -> tuple[int | None, bool]:
    """Return the arm with the highest mean, and whether its interval is above those of all other arms."""
    if not opinions:
        return None, False
    best, *others = sorted(opinions, key=lambda arm: -opinions[arm].mean)
    low = (opinions[best].interval or (0.0,))[0]
    highest = [(opinions[arm].interval or (0.0, inf))[1] for arm in others]
    return int(best), bool(others) and all(high < low for high in highest)


def _paired(plan: SessionPlan, counted: Sequence[Vote], excluded: Mapping[str, str]) -> SessionResults:
    arms = range(len(plan.arms))
    if plan.method == "abx":
        pairs = [PairResult(first=a, second=b, result=_heard(counted, {a, b})) for a, b in combinations(arms, 2)]
        return SessionResults(votes=counted, excluded=excluded, pairs=pairs)
    compared = [_comparison(vote, trial) for vote, trial in counted]
    ranking = rank(compared, [str(arm) for arm in arms])
    records = [(a, b, ranking.records[str(a), str(b)]) for a, b in combinations(arms, 2)]
    pairs = [
        PairResult(first=a, second=b, result=preference(record.wins, record.losses, record.ties))
        for a, b, record in records
    ]
    best = int(ranking.standings[0].arm) if compared else None
    return SessionResults(
        votes=counted,
        excluded=excluded,
        ranking=ranking,
        pairs=pairs,
        agreement=agreement(compared),
        best=best,
        sure=best is not None and all(_is_won(one, best) for one in pairs if best in (one.first, one.second)),
    )


def _is_won(pair: PairResult, arm: int | None) -> bool:
    result = pair.result
    won = isinstance(result, Preference) and (result.wins > result.losses) == (pair.first == arm)
    return result.decided and won


def _counted(votes: Sequence[VoteRow], excluded: Mapping[str, str]) -> Iterator[Vote]:
    """Yield the votes on ordinary trials of listeners who are not excluded, in order of time."""
    for vote in sorted(votes, key=lambda vote: vote.voted_at):
        if vote.stage == "trials" and vote.listener_id not in excluded:
            trial = trial_of(vote)
            if trial.kind == "trial":
                yield vote, trial


def _heard(counted: Sequence[Vote], arms: set[int]) -> AbxResult:
    answers = [is_passed(vote, trial) for vote, trial in counted if {side.arm for side in trial.sides} == arms]
    return abx(sum(answers), len(answers))


def _comparison(vote: VoteRow, trial: SessionTrial) -> PairVote:
    outcomes: Mapping[str | None, Outcome] = {"a": "first", "b": "second"}
    first, second = (str(side.arm) for side in trial.sides)
    return PairVote(
        listener=vote.listener_id,
        line=str(trial.line),
        first=first,
        second=second,
        outcome=outcomes.get(vote.choice, "tie"),
    )


def _ratings(counted: Sequence[Vote]) -> Iterator[Rating]:
    for vote, trial in counted:
        for at, score in scores_of(vote).items():
            yield Rating(listener=vote.listener_id, line=str(trial.line), arm=arm_name(trial.sides[at]), score=score)


def arm_name(side: SessionSide) -> str:
    """Return the name of a side in the statistics."""
    return ANCHOR if side.treatment == ANCHOR else str(side.arm)
