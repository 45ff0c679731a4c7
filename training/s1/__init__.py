"""The embedded S1 voice: its streaming codec, and the dual-autoregressive language model of the codec's codes."""
