"""Clips of a voice: stored, checked, repaired, and cut to the window that an engine hears."""
