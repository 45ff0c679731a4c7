"""Deliveries: selected takes as files for a game, with names, metadata, and tables for game engines."""

from studio.script.delivery.delivery import deliver
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.naming import file_stems
from studio.script.delivery.presets import PRESETS, Preset, preset_json, preset_of
from studio.script.delivery.report import CharacterLevel, DeliveredFile, DeliveryReport, report_json
from studio.script.delivery.zipping import zipped

__all__ = [
    "PRESETS",
    "CharacterLevel",
    "DeliveredFile",
    "DeliveredLine",
    "DeliveryReport",
    "Preset",
    "deliver",
    "file_stems",
    "preset_json",
    "preset_of",
    "report_json",
    "zipped",
]
