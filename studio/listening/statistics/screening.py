"""Screening of listeners: who worked too carelessly for their answers to count."""

from collections.abc import Iterable

from studio.listening.statistics.answers import Conduct
from studio.listening.statistics.power import p_value

CATCH_TRIALS = 4  # that every listener gets
EXTRA_CATCH_TRIALS = 4  # that a listener gets after one wrong answer
WRONG_TOLERATED = 1
SIDE_BIAS_P = 0.001
FASTEST_S = 1.5  # seconds: nobody can hear two sides and vote in less


def screen(conducts: Iterable[Conduct]) -> dict[str, str]:
    """Return the listeners whose answers must not count, each with the reason in one sentence.

    A session shows 4 catch trials to each listener: the damaged side is twice on the left and twice on the right, in random
    order, at random places. A listener with exactly one wrong answer gets 4 more catch trials of the same kind
    (`catch_trials_due`). A listener is excluded who

    - has two wrong answers in catch trials; "tie" and "both bad" are wrong;
    - votes so often for one side that guessing would do so with a probability below 0.1 % (for example 11 of 11 votes);
    - needs less than 1.5 s for half of the trials;
    - fails the headphone check.

    Probabilities of exclusion by catch trials. A listener with probability p of a right answer is accepted with probability
    p⁴ + 4 (1 - p) p³ · p⁴:

    | listener | p | excluded |
    |---|---|---|
    | honest | 0.97 | 1.8 % |
    | presses A or B at random | 0.5 | 92.2 % |
    | presses A, B, tie or both bad at random | 0.25 | 99.6 % |
    | always presses the same side, or always "tie" | | 100 % |

    Fewer catch trials do not suffice. A fixed number needs 7: with 6, the best rule (at most one wrong answer) excludes only
    89.1 % of listeners who press A or B at random; no wrong answer at all excludes 16.7 % of honest listeners. The rule
    above needs 4.4 catch trials for an honest listener on average. With 3 extra catch trials instead of 4, the rule excludes
    90.6 % of listeners who press A or B at random, which is too close to 90 %. A session must not show more catch trials
    than are due, because two wrong answers in, say, 20 catch trials are no sign of carelessness.

    The other rules also hold for sessions without catch trials, and for listeners who have not finished.
    """
    return {conduct.listener: reason for conduct in conducts if (reason := _reason(conduct))}


def catch_trials_due(conduct: Conduct) -> int:
    """Return how many more catch trials the session must show to this listener."""
    wrong = conduct.catch_trials - conduct.catch_passed
    if wrong > WRONG_TOLERATED:
        return 0
    return max(0, CATCH_TRIALS + (EXTRA_CATCH_TRIALS if wrong else 0) - conduct.catch_trials)


def _reason(conduct: Conduct) -> str | None:
    wrong = conduct.catch_trials - conduct.catch_passed
    if wrong > WRONG_TOLERATED:
        return f"Gave a wrong answer in {wrong} of {conduct.catch_trials} catch trials."
    if p_value(conduct.left_votes, conduct.votes, sides=2) < SIDE_BIAS_P:
        side, count = max(
            ("left", conduct.left_votes), ("right", conduct.votes - conduct.left_votes), key=lambda s: s[1]
        )
        return f"Voted for the {side} side in {count} of {conduct.votes} votes."
    if conduct.median_s is not None and conduct.median_s < FASTEST_S:
        return f"Needed less than {FASTEST_S:g} s for half of the trials, which is too short to hear the sounds."
    if conduct.headphones_passed is False:
        return "Failed the headphone check."
    return None
