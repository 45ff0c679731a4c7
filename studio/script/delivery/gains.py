"""The gain of each take, from measurements of all takes before the first file is written."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from engines.audio.loudness import SILENCE_DB
from studio.script.delivery.levels import Energies, energies, together_lufs
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.peaks import true_peak_dbtp
from studio.script.delivery.presets import Preset
from studio.script.delivery.shaping import shaped

GAIN_MAX_DB = 30.0  # a higher gain would only raise noise
PEAK_MARGIN_DB = 0.1  # distance of peaks from the ceiling, for rounding and for more exact meters


def gains_db(lines: Sequence[DeliveredLine], preset: Preset, began: Callable[[DeliveredLine], None]) -> list[float]:
    """Return the gain of each line; lines of a character get the same gain if the preset says so.

    The audio of one take is in memory at a time. `began` is called before each line, and may raise an error.
    """
    if preset.loudness == "off":
        return [0.0] * len(lines)
    groups: dict[object, list[int]] = defaultdict(list)
    measured: list[tuple[Energies, float]] = []
    for index, line in enumerate(lines):
        began(line)
        groups[line.character if preset.loudness == "character" else index].append(index)
        audio = shaped(line.audio(), preset).audio
        peak = true_peak_dbtp(audio) if preset.over_peak == "lower" else SILENCE_DB
        measured.append((energies(audio), peak))
    found = [0.0] * len(lines)
    for members in groups.values():
        gain = _gain_db([measured[index] for index in members], preset)
        for index in members:
            found[index] = gain
    return found


def _gain_db(measured: Sequence[tuple[Energies, float]], preset: Preset) -> float:
    loudness = together_lufs([part for part, _ in measured])
    if loudness <= SILENCE_DB:
        return 0.0
    gain = max(-GAIN_MAX_DB, min(GAIN_MAX_DB, preset.target_lufs - loudness))
    highest = max(peak for _, peak in measured)
    return gain if highest <= SILENCE_DB else min(gain, preset.ceiling_dbtp - PEAK_MARGIN_DB - highest)
