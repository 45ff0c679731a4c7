"""Automatic checks of takes: words, audio, length, likeness. They run outside the device's queue, and state their doubts."""
