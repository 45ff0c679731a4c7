"""Mean opinion scores and MUSHRA."""

import numpy as np
import pytest
from scipy.stats import t

from studio.listening.statistics import MushraResult, Rating, mushra, opinion

# Differences between the heights of cross- and self-fertilised corn plants (C. Darwin, 1876), in R. A. Fisher, The Design of
# Experiments (1935). The p is in the documentation of scipy.stats.wilcoxon.
DARWIN, DARWIN_P = (6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75), 0.041259765625


def rating(listener: object, line: object, arm: str, score: float) -> Rating:
    return Rating(listener=str(listener), line=str(line), arm=arm, score=score)


def test_the_mean_of_several_listeners_weighs_listeners_equally() -> None:
    scores = [rating("anna", line, "a", 5) for line in range(9)] + [rating("ben", 0, "a", 3)]
    found = opinion(scores)["a"]
    assert (found.mean, found.ratings, found.listeners) == (4, 10, 2)


def test_the_interval_is_students() -> None:
    means = [4.1, 3.2, 4.8, 2.9, 3.7]
    found = opinion(rating(place, 0, "a", mean) for place, mean in enumerate(means))["a"]
    assert found.interval == pytest.approx(t.interval(0.95, 4, np.mean(means), np.std(means, ddof=1) / 5**0.5))


def test_one_listener_has_an_interval_from_ratings() -> None:
    found = opinion(rating("anna", line, "a", score) for line, score in enumerate([3, 4, 5]))["a"]
    assert found.interval == pytest.approx((4 - 4.30265 / 3**0.5, 4 + 4.30265 / 3**0.5), abs=1e-4)


def test_one_rating_has_no_interval() -> None:
    assert opinion([rating("anna", 0, "a", 3)])["a"].interval is None


def test_without_ratings_there_are_no_scores() -> None:
    assert opinion([]) == {}


def test_the_interval_of_a_mean_score_covers_the_truth() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(600):
        scores = 3.5 + rng.normal(0, 0.5, (8, 1)) + rng.normal(0, 0.8, (8, 10))
        low, high = opinion(rating(a, b, "a", one) for (a, b), one in np.ndenumerate(scores))["a"].interval or (0, 0)
        covered += low <= 3.5 <= high
    assert 0.93 <= covered / 600 <= 0.97


def screened(listener: str, references: list[float], anchors: list[float]) -> list[Rating]:
    found = [rating(listener, line, "reference", score) for line, score in enumerate(references)]
    return found + [rating(listener, line, "anchor", score) for line, score in enumerate(anchors)]


def test_post_screening_removes_the_right_listeners() -> None:
    ratings = [
        *screened("right", [100] * 20, [20] * 20),
        *screened("3 of 20 wrong", [89] * 3 + [90] * 17, [91] * 3 + [90] * 17),
        *screened("4 of 20 references", [89] * 4 + [100] * 16, [20] * 20),
        *screened("4 of 20 anchors", [100] * 20, [91] * 4 + [20] * 16),
    ]
    assert mushra(ratings, "reference", "anchor").excluded == {
        "4 of 20 references": "Rated the hidden reference below 90 in 4 of 20 trials.",
        "4 of 20 anchors": "Rated the anchor above 90 in 4 of 20 trials.",
    }


def test_excluded_listeners_do_not_count() -> None:
    ratings = [
        *screened("anna", [100], [20]),
        rating("anna", 0, "a", 80),
        *screened("ben", [10], [20]),
        rating("ben", 0, "a", 0),
    ]
    found = mushra(ratings, "reference", "anchor")
    assert found.opinions["a"].mean == 80
    assert set(found.opinions) == {"reference", "anchor", "a"}


def test_a_test_without_an_anchor_screens_by_the_reference() -> None:
    ratings = [*screened("anna", [100], []), *screened("ben", [10], [])]
    assert list(mushra(ratings, "reference", None).excluded) == ["ben"]


def darwin(lines: int) -> MushraResult:
    scores = [
        rating(listener, line, arm, score)
        for listener, difference in enumerate(DARWIN)
        for line in range(lines)
        for arm, score in (("a", 50 + difference / 2 + line), ("b", 50 - difference / 2 + line))
    ]
    return mushra(scores, "reference", "anchor")


@pytest.mark.parametrize("lines", [1, 4])
def test_contrasts_are_signed_rank_tests_of_listeners(lines: int) -> None:
    (contrast,) = darwin(lines).contrasts
    assert (contrast.first, contrast.second, contrast.pairs) == ("a", "b", 15)
    assert contrast.p == pytest.approx(DARWIN_P)
    assert contrast.difference == pytest.approx(np.mean(DARWIN))


def test_few_listeners_are_compared_by_ratings() -> None:
    scores = [
        rating(place % 3, place, arm, score)
        for place, difference in enumerate(DARWIN)
        for arm, score in (("a", 50 + difference), ("b", 50.0))
    ]
    (contrast,) = mushra(scores, "reference", "anchor").contrasts
    assert contrast.pairs == 15
    assert contrast.p == pytest.approx(DARWIN_P)


def test_p_values_are_corrected_by_holm() -> None:
    rng = np.random.default_rng(21)
    means = {"a": 50, "b": 53, "c": 60, "d": 61}
    scores = [
        rating(listener, 0, arm, mean + rng.normal(0, 6)) for listener in range(12) for arm, mean in means.items()
    ]
    contrasts = sorted(mushra(scores, "reference", "anchor").contrasts, key=lambda one: one.p)
    expected = np.minimum(1, np.maximum.accumulate([(6 - place) * one.p for place, one in enumerate(contrasts)]))
    assert [one.adjusted_p for one in contrasts] == pytest.approx(list(expected))
    assert any(one.p < 0.05 and not one.decided for one in contrasts)


def test_equal_scores_have_p_one() -> None:
    scores = [rating(listener, 0, arm, 70.1) for listener in range(8) for arm in "ab"]
    (contrast,) = mushra(scores, "reference", "anchor").contrasts
    assert (contrast.p, contrast.adjusted_p, contrast.decided) == (1.0, 1.0, False)


def test_arms_without_a_common_trial_have_no_contrast() -> None:
    assert not mushra([rating("anna", 0, "a", 50), rating("anna", 1, "b", 50)], "reference", "anchor").contrasts


def test_mushra_without_ratings_is_empty() -> None:
    found = mushra([], "reference", "anchor")
    assert (found.excluded, found.opinions, found.contrasts) == ({}, {}, [])
