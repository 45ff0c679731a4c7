"""Clips of a voice: kept, judged, mended, and cut to the window an engine hears."""
