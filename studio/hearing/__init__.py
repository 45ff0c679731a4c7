"""Hear takes after they are finished: which words are missing, misheard or added, and which faults the audio has.

The ears' process imports this package. `studio.hearing.service` needs the database, which would take 33 MB there.
"""

from studio.hearing.heard_take import HEARD_WITHOUT_WORDS, Heard

__all__ = ["HEARD_WITHOUT_WORDS", "Heard"]
