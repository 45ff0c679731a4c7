"""Priorities of CUDA streams and of the graphs that are recorded on them; work with a lower number is started first.

A new request waits for its reference, so references come first. Steps of rows follow, then the audio of rows that have already
been heard.
"""

ENCODING, STEPS, DECODING = -2, -1, 0
