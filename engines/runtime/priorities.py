"""Priorities of CUDA streams and of the graphs that are recorded on them; work with a lower number is started first.

A new request waits for its reference, so references come first. Prefill and decode steps follow, then the decoding of audio. If
only few requests run, the next step waits for first audio (`FEW_REQUESTS` in `engines/codec_lm/packet_queue.py`).
"""

REFERENCE_ENCODING, MODEL_STEPS, AUDIO_DECODING = -2, -1, 0
