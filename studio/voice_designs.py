"""The description of a designed voice, in the form in which an order has it: gender, pitch and speed, as words."""

from engines.errors import BadSetting
from engines.types import GENDERS, LEVELS, VoiceDesign

WORDS = (GENDERS, LEVELS, LEVELS)


def read_design(words: str) -> VoiceDesign:
    """Read a description such as `female low very_high`. Raises BadSetting."""
    chosen = words.split()
    if len(chosen) != len(WORDS) or any(word not in allowed for word, allowed in zip(chosen, WORDS, strict=True)):
        genders, levels = " or ".join(GENDERS), ", ".join(LEVELS)
        raise BadSetting(
            f"a design needs a gender ({genders}), a pitch and a speed ({levels}); write for example female low moderate"
        )
    gender, pitch, speed = chosen
    return VoiceDesign(gender, pitch, speed)  # type: ignore[arg-type]  # checked above


def design_name(words: str) -> str:
    """Return the name of a designed voice, such as `Female, low, moderate`."""
    return words.replace(" ", ", ").replace("_", " ").capitalize()
