"""Hear takes after they are finished: which words are missing, misheard or added, and which faults the audio has."""

from studio.hearing.heard_take import HEARD_WITHOUT_WORDS, Heard
from studio.hearing.service import TakeHearing

__all__ = ["HEARD_WITHOUT_WORDS", "Heard", "TakeHearing"]
