"""Numbers that all backends of a decode step share. `tests/engines/s1/test_constants.py` compares the copies."""

WINDOW = 16  # frames that the repetition penalty covers, as in upstream
GOLDEN = 0x9E3779B9  # 2^32 / golden ratio: the noise generator adds multiples of it to spread neighbouring counters
