"""Blind listening: two unnamed takes, the vote on them, and the results of all votes."""

from studio.listening.listening import Listening
from studio.listening.trial import BadPair, Ballot, Choice, Decided, NoPairs, NotHeard, Trial, UnknownTrial

__all__ = ["BadPair", "Ballot", "Choice", "Decided", "Listening", "NoPairs", "NotHeard", "Trial", "UnknownTrial"]
