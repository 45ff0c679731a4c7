"""Emotion and tone markers, such as (excited): S1-Mini understands them; no other checkpoint may read them aloud."""

import re

EMOTIONS = (
    "angry", "sad", "excited", "surprised", "satisfied", "delighted", "scared", "worried", "upset", "nervous",
    "frustrated", "depressed", "empathetic", "embarrassed", "disgusted", "moved", "proud", "relaxed", "grateful",
    "confident", "interested", "curious", "confused", "joyful", "disdainful", "unhappy", "anxious", "hysterical",
    "indifferent", "impatient", "guilty", "scornful", "panicked", "furious", "reluctant", "keen", "disapproving",
    "negative", "denying", "astonished", "serious", "sarcastic", "conciliative", "comforting", "sincere", "sneering",
    "hesitating", "yielding", "painful", "awkward", "amused",
)  # fmt: skip
TONES = ("in a hurry tone", "shouting", "screaming", "whispering", "soft tone")
SOUNDS = (
    "laughing", "chuckling", "sobbing", "crying loudly", "sighing", "panting", "groaning",
    "crowd laughing", "background laughter", "audience laughing",
)  # fmt: skip
MARKERS = EMOTIONS + TONES + SOUNDS  # from the model card of openaudio-s1-mini

MARKER = re.compile(r"\(\s*(?:" + "|".join(map(re.escape, MARKERS)) + r")\s*\)\s*", re.IGNORECASE)


def markers_in(text: str) -> list[str]:
    """Return the markers in a text as they are written."""
    return [found.group().strip() for found in MARKER.finditer(text)]


def without_markers(text: str) -> str:
    """Remove all markers from a text; other parentheses stay."""
    return MARKER.sub("", text)
