"""Votes become results: who is best, how sure, and which listeners count."""

import json
from collections.abc import Iterator, Sequence

from studio.listening.sessions.conduct import TRIAL
from studio.listening.sessions.results import results_of
from studio.listening.sessions.rows import ListenerRow, VoteRow
from studio.listening.sessions.session import SessionPlan
from studio.listening.sessions.trials import SessionSide, SessionTrial, trials_of
from tests.studio.listening.sessions.test_trials import plan


def listener(name: str, completed_at: float | None = 9.0) -> ListenerRow:
    return ListenerRow(
        id=name, listening_id="s", invitation_id="i", seed=len(name), joined_at=1.0, completed_at=completed_at
    )


def cast(
    name: str, number: int, trial: SessionTrial, choice: str | None = None, scores: Sequence[float] = ()
) -> VoteRow:
    return VoteRow(
        id=f"{name}-{number}",
        listening_id="s",
        listener_id=name,
        stage="trials",
        number=number,
        trial=TRIAL.dump_json(trial).decode(),
        choice=choice,
        scores=json.dumps(dict(enumerate(scores))),
        took_s=8.0,
        voted_at=float(number),
    )


def mushra_votes(session: SessionPlan, name: str, values: dict[SessionSide, float]) -> Iterator[VoteRow]:
    for number, trial in enumerate(trials_of(session, len(name))):
        yield cast(name, number, trial, scores=[values[side] for side in trial.sides])


VALUES = {SessionSide(0): 60.0, SessionSide(1): 100.0, SessionSide(2): 80.0, SessionSide(1, "anchor"): 20.0}


def test_the_hidden_reference_of_mushra_is_never_the_best_arm() -> None:
    session = plan("mushra", reference=1, practice=0)
    names = [f"listener{'x' * at}" for at in range(7)]
    votes = [vote for name in names for vote in mushra_votes(session, name, VALUES)]
    results = results_of(session, [listener(name) for name in names], votes)
    assert (results.best, results.sure) == (2, True)


def test_with_one_arm_beside_the_reference_mushra_has_no_best_arm() -> None:
    session = plan("mushra", arms=2, reference=1, practice=0)
    results = results_of(session, [listener("anna")], list(mushra_votes(session, "anna", VALUES)))
    assert results.opinions and (results.best, results.sure) == (None, False)


def test_without_votes_nothing_is_sure() -> None:
    for method in ("ab", "abx", "mos", "mushra"):
        results = results_of(plan(method), [], [])
        assert (results.best, results.sure) == (None, False)


def test_votes_of_a_listener_who_misses_the_hidden_reference_do_not_count() -> None:
    session = plan("mushra", reference=1, practice=0)
    votes = [*mushra_votes(session, "anna", VALUES), *mushra_votes(session, "bo", {**VALUES, SessionSide(1): 50.0})]
    results = results_of(session, [listener("anna"), listener("bo")], votes)
    assert set(results.excluded) == {"bo"} and {vote.listener_id for vote, _ in results.votes} == {"anna"}


def test_the_best_mean_opinion_is_sure_if_its_interval_is_above_all_others() -> None:
    session = plan("mos", catches=False, practice=0, trials=15)
    for means, sure in [((1.0, 2.0, 4.5), True), ((1.0, 4.4, 4.5), False)]:
        votes = [
            cast(name, number, trial, scores=[means[trial.sides[0].arm] + wobble])
            for name, wobble in [("anna", -0.4), ("bo", 0.0), ("cleo", 0.4)]
            for number, trial in enumerate(trials_of(session, 3))
        ]
        results = results_of(session, [listener(name) for name in ("anna", "bo", "cleo")], votes)
        assert (results.best, results.sure) == (2, sure)


def test_a_careless_listener_who_leaves_early_does_not_count() -> None:
    session = plan(practice=0, trials=20)
    trials = trials_of(session, 4)
    wrong = [cast("left", at, trial, "tie") for at, trial in enumerate(trials)][:-1]
    assert set(results_of(session, [listener("left", completed_at=None)], wrong).excluded) == {"left"}


def test_one_sided_votes_do_not_count_without_catch_trials_either() -> None:
    session = plan(practice=0, trials=20, catches=False)
    votes = [cast("left", at, trial, "a") for at, trial in enumerate(trials_of(session, 4))]
    results = results_of(session, [listener("left")], votes)
    assert results.excluded == {"left": "Voted for the left side in 20 of 20 votes."} and not results.votes


def test_an_arm_that_always_wins_is_best_and_sure() -> None:
    session = plan(arms=2, practice=0, trials=20, catches=False)
    votes = [
        cast("anna", at, trial, "ab"[trial.sides.index(SessionSide(1))])
        for at, trial in enumerate(trials_of(session, 4))
    ]
    results = results_of(session, [listener("anna")], votes)
    assert (results.best, results.sure) == (1, True)
    assert results_of(session, [listener("anna")], votes[:3]).sure is False


def test_answers_to_abx_are_right_or_wrong_and_no_arm_is_best() -> None:
    session = plan("abx", arms=2, practice=0, trials=10, catches=False)
    votes = [cast("anna", at, trial, "ab"[trial.right or 0]) for at, trial in enumerate(trials_of(session, 4))]
    results = results_of(session, [listener("anna")], votes)
    (pair,) = results.pairs
    assert (pair.result.share, pair.result.decided, results.best) == (1.0, True, None)
