"""The embedded F5 voice: a DiT trained by flow matching, then distilled, and its Vocos vocoder."""
