"""The length of a line on the page, in limits and in deliveries: always the length of the delivered file.

A delivered file contains the speech of a take, with the silence that the project's delivery sets before and after it. The
silence in the take itself is ignored, because a delivery replaces it.
"""

from engines.errors import BadSetting
from studio.script.delivery.presets import GAME, Preset, preset_of
from studio.script.format.script import DeliveryChoice, LineTake


def edges_s(choice: DeliveryChoice) -> float:
    """Return the total silence that a delivery adds before and after the speech of a take."""
    try:
        return preset_edges_s(preset_of(choice.preset, choice.choices))
    except BadSetting:  # saved by another version of the studio
        return preset_edges_s(GAME)


def preset_edges_s(preset: Preset) -> float:
    return round((preset.head_ms + preset.tail_ms) / 1000, 4)


def delivered_s(take: LineTake, edges_s: float) -> float:
    """Return the length of the take's file. If the speech was not measured, the length of the take is used."""
    return round(take.speech_s + edges_s, 3) if take.speech_s else take.duration_s
