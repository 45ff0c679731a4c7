"""Emotions, tones and sounds that the published checkpoint acts on, written (excited); from openaudio-s1-mini's model card."""

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
MARKERS = EMOTIONS + TONES + SOUNDS
