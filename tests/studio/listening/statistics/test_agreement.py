"""Krippendorff's alpha."""

import numpy as np
import pytest

from studio.listening.statistics import Outcome, PairVote, Rating, agreement

# K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), sections A and C.
MEG, OWEN, ALPHA_BINARY = "0100000010", "1110010000", 0.095
OBSERVERS, ALPHA_INTERVAL = ("123321412...", "1233224125.3", ".3332342251.", "1233244125 1 ".replace(" ", "")), 0.849
OUTCOMES: tuple[Outcome, ...] = ("first", "second", "tie")


def vote(listener: object, line: object, outcome: Outcome, first: str = "a", second: str = "b") -> PairVote:
    return PairVote(listener=str(listener), line=str(line), first=first, second=second, outcome=outcome)


def test_alpha_of_comparisons_is_that_of_the_textbook() -> None:
    votes = [vote(name, line, OUTCOMES[int(one)]) for name in (MEG, OWEN) for line, one in enumerate(name)]
    assert agreement(votes) == pytest.approx(ALPHA_BINARY, abs=5e-4)


def test_alpha_of_ratings_is_that_of_the_textbook() -> None:
    ratings = [
        Rating(listener=str(place), line=str(line), arm="a", score=float(score))
        for place, scores in enumerate(OBSERVERS)
        for line, score in enumerate(scores)
        if score != "."
    ]
    assert agreement(ratings) == pytest.approx(ALPHA_INTERVAL, abs=5e-4)


def test_the_order_of_the_sides_does_not_matter() -> None:
    votes = [
        vote("anna", 0, "first"),
        vote("ben", 0, "second", "b", "a"),
        vote("anna", 1, "second"),
        vote("ben", 1, "tie"),
    ]
    turned = [*votes[:1], vote("ben", 0, "first"), *votes[2:]]
    assert agreement(votes) == agreement(turned) != 1


def test_full_agreement_is_one() -> None:
    votes = [vote(name, line, OUTCOMES[line % 3]) for name in "xyz" for line in range(6)]
    assert agreement(votes) == 1


def test_systematic_disagreement_is_below_zero() -> None:
    votes = [vote(place, line, OUTCOMES[(place + line) % 2]) for place in range(2) for line in range(6)]
    assert (agreement(votes) or 0) < 0


def test_votes_at_random_on_many_pairs_agree_by_chance_only() -> None:
    rng = np.random.default_rng(5)
    pairs = [("a", "b"), ("c", "a"), ("b", "d"), ("e", "c")]
    votes = [
        vote(listener, line, OUTCOMES[rng.integers(3)], *pairs[line % 4])
        for listener in range(10)
        for line in range(200)
    ]
    assert agreement(votes) == pytest.approx(0, abs=0.02)


def test_the_first_vote_of_a_listener_counts() -> None:
    votes = [vote("anna", 0, "first"), vote("ben", 0, "first"), vote("anna", 1, "tie"), vote("ben", 1, "tie")]
    assert agreement([*votes, vote("ben", 0, "second")]) == 1


@pytest.mark.parametrize(
    "votes",
    [
        [],
        [vote("anna", 0, "first")],
        [vote("anna", 0, "first"), vote("anna", 0, "second")],
        [vote("anna", 0, "first"), vote("ben", 1, "second")],
        [vote("anna", 0, "first"), vote("ben", 0, "first")],
    ],
    ids=["no votes", "one vote", "one listener", "no common line", "all equal"],
)
def test_alpha_is_none_if_it_cannot_be_computed(votes: list[PairVote]) -> None:
    assert agreement(votes) is None


def test_equal_ratings_have_no_alpha() -> None:
    assert agreement(Rating(listener=name, line="0", arm="a", score=3.3) for name in "xyz") is None
