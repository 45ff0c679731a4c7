"""Hear audio: judge the quality of clips and takes."""
