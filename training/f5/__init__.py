"""The embedded F5 voice: a DiT that is trained by flow matching and then distilled, and its Vocos vocoder."""
