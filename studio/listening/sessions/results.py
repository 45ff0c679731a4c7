"""Results of a listening session: votes become statistics."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from studio.listening.sessions.conduct import SIDES, conduct, scores_of, trial_of
from studio.listening.sessions.rows import ListenerRow, VoteRow
from studio.listening.sessions.session import SessionPlan
from studio.listening.sessions.trials import SessionSide, SessionTrial, has_catches
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

    @property
    def best(self) -> int | None:
        """Return the arm with the best result; None before the first vote, and for ABX, which has no better side."""
        if self.ranking and self.ranking.standings and self.ranking.standings[0].votes:
            return int(self.ranking.standings[0].arm)
        arms = {arm: one.mean for arm, one in (self.opinions or {}).items() if arm != ANCHOR}
        return int(max(arms, key=lambda arm: arms[arm])) if arms else None


def results_of(plan: SessionPlan, listeners: Sequence[ListenerRow], votes: Sequence[VoteRow]) -> SessionResults:
    """Return the results of all votes of a session."""
    by_listener: dict[str, list[VoteRow]] = {row.id: [] for row in listeners}
    for vote in votes:
        by_listener.setdefault(vote.listener_id, []).append(vote)
    conducts = [conduct(row, by_listener[row.id]) for row in listeners if row.completed_at is not None]
    excluded = screen(conducts) if has_catches(plan) else {}
    counted = list(_counted(votes, excluded))
    if plan.method == "mushra":
        scored = mushra(_ratings(counted), str(plan.reference), ANCHOR)
        return SessionResults(
            votes=counted,
            excluded={**excluded, **scored.excluded},
            mushra=scored,
            opinions=scored.opinions,
            agreement=agreement(_ratings(counted)),
        )
    if plan.method == "mos":
        ratings = list(_ratings(counted))
        return SessionResults(votes=counted, excluded=excluded, opinions=opinion(ratings), agreement=agreement(ratings))
    return _paired(plan, counted, excluded)


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
    return SessionResults(votes=counted, excluded=excluded, ranking=ranking, pairs=pairs, agreement=agreement(compared))


def _counted(votes: Sequence[VoteRow], excluded: Mapping[str, str]) -> Iterator[Vote]:
    """Yield the votes on ordinary trials of listeners who are not excluded, in order of time."""
    for vote in sorted(votes, key=lambda vote: vote.voted_at):
        if vote.stage == "trials" and vote.listener_id not in excluded:
            trial = trial_of(vote)
            if trial.kind == "trial":
                yield vote, trial


def _heard(counted: Sequence[Vote], arms: set[int]) -> AbxResult:
    answers = [
        vote.choice in SIDES and SIDES.index(vote.choice) == trial.right
        for vote, trial in counted
        if {side.arm for side in trial.sides} == arms
    ]
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
