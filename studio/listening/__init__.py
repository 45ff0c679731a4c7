"""Blind listening: two takes heard without knowing which is which, the vote on them, and what the votes add up to."""

from studio.listening.listening import Listening
from studio.listening.trial import BadPair, Ballot, Choice, Decided, NoPairs, NotHeard, Trial, UnknownTrial

__all__ = ["BadPair", "Ballot", "Choice", "Decided", "Listening", "NoPairs", "NotHeard", "Trial", "UnknownTrial"]
