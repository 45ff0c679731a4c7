"""Delivery presets that a project stores under the user's names."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engines.errors import BadInput
from studio.script.delivery import PRESETS, preset_of
from studio.script.format.script import SavedPreset
from studio.script.projects import checked_name

PRESETS_MAX = 50


def checked_presets(presets: Sequence[SavedPreset]) -> Iterator[SavedPreset]:
    """Yield the presets with normalised names. Raises BadInput, BadSetting."""
    if len(presets) > PRESETS_MAX:
        raise BadInput(f"a project can have {PRESETS_MAX} presets at most; delete a preset first")
    taken = {name.casefold() for name in (*PRESETS, "custom")}
    for preset in presets:
        name = checked_name(preset.name)
        if name.casefold() in taken:
            raise BadInput(f"the preset “{name}” already exists; choose another name")
        taken.add(name.casefold())
        preset_of(preset.preset, preset.choices)
        yield replace(preset, name=name)
