"""The length of a line for the page, limits and deliveries: the length of its delivered file.

A delivered file contains the speech of a take, with the silence that the project's delivery sets before and after it. The
silence of the take itself does not count, because a delivery replaces it.
"""

from engines.errors import BadSetting
from studio.script.delivery.presets import GAME, Preset, preset_of
from studio.script.script import DeliveryChoice, LineTake


def edges_s(choice: DeliveryChoice) -> float:
    """Return the seconds of silence that a delivery puts around the speech of a take."""
    try:
        return preset_edges_s(preset_of(choice.preset, choice.choices))
    except BadSetting:  # saved by another version of the studio
        return preset_edges_s(GAME)


def preset_edges_s(preset: Preset) -> float:
    return round((preset.head_ms + preset.tail_ms) / 1000, 4)


def delivered_s(take: LineTake, edges_s: float) -> float:
    """Return the length of the take's file. A take without measured speech counts with its stored length."""
    return round(take.speech_s + edges_s, 3) if take.speech_s else take.duration_s
