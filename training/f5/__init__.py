"""The small embedded F5 voice: its training, export and evaluation."""
