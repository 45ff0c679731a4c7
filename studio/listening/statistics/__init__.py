"""Statistics of blind listening sessions: pure functions from answers to results.

No function reads files, a database or a clock. Equal answers give equal results: nothing is drawn at random.
"""

from studio.listening.statistics.abx import AbxResult, abx
from studio.listening.statistics.agreement import agreement
from studio.listening.statistics.answers import Conduct, Outcome, PairVote, Rating
from studio.listening.statistics.mushra import Contrast, MushraResult, mushra
from studio.listening.statistics.opinion import Opinion, opinion
from studio.listening.statistics.preference import Preference, preference
from studio.listening.statistics.ranking import Ranking, Record, Standing, rank
from studio.listening.statistics.screening import CATCH_TRIALS, EXTRA_CATCH_TRIALS, catch_trials_due, screen

__all__ = [
    "CATCH_TRIALS",
    "EXTRA_CATCH_TRIALS",
    "AbxResult",
    "Conduct",
    "Contrast",
    "MushraResult",
    "Opinion",
    "Outcome",
    "PairVote",
    "Preference",
    "Ranking",
    "Rating",
    "Record",
    "Standing",
    "abx",
    "agreement",
    "catch_trials_due",
    "mushra",
    "opinion",
    "preference",
    "rank",
    "screen",
]
