"""Hear speech: transcribe clips, find words in takes, and compare what is heard with what should be heard.

`Ears` is the service. The recogniser runs in a child process; see `ears.py` and `process.py`.
"""
