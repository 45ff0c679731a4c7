"""Listening sessions: blind tests with several arms, many lines and invited listeners."""
