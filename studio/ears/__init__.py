"""Hear speech: transcribe clips, find words in takes, compare them with the text, and judge the quality of audio.

`Ears` is the service. The recogniser runs in a child process; see `ears.py` and `process.py`.
"""
