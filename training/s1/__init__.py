"""The embedded S1 voice: its streaming codec, and the dual-autoregressive language model for the codec's codes."""
