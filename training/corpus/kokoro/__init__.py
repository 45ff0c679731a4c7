"""Kokoro-82M (hexgrad, Apache-2.0) as a synthesizer of natural speech: phonemes, the network in batches, synthetic speakers."""
