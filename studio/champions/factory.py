"""Open the champions from the settings, for the studio and the command line. Loads no engine and opens no manager."""

from collections.abc import Callable
from functools import partial
from typing import Any, Never

from engines.errors import BadInput
from engines.registry import specs
from studio.champions.champions import TRANSFERS, Champions
from studio.champions.library import Library
from studio.checkpoints import checkpoints
from studio.references.library import SAMPLES, ClipStore
from studio.settings import Settings
from studio.stores.factory import open_stores


def open_champions(settings: Settings) -> Champions:
    """Open the library and the stores. The names of samples are reserved, because scripts name voices by id.

    Fine-tuned weights are checked against the checkpoint of the engine that uses them.
    """
    samples = {sample.name for sample in ClipStore(settings.data_dir, SAMPLES).samples()}
    library = Library(settings.data_dir, reserved=samples)
    stores = open_stores(settings.stores, library.folder / TRANSFERS)
    return Champions(library, stores, _vetting(settings))


def _vetting(settings: Settings) -> Callable[..., Any]:
    """Return the check of fine-tuned weights; it refuses all weights if no engine uses them."""
    for spec in specs():
        if spec.fine_tunes:
            return partial(spec.vet(), against=checkpoints(settings)[spec.name])
    return _refuse


def _refuse(*_: object, **__: object) -> Never:
    raise BadInput("no engine of this studio uses fine-tuned weights; save the champion without weights")
