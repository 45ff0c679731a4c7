"""Hear takes after they are finished: which words are missing, misheard or added, and which faults the audio has."""
