"""Open the champions from the settings, for the studio and the command line. Loads no engine and opens no manager."""

from functools import partial

from engines.f5.vetting.process import vet
from studio.champions.champions import TRANSFERS, Champions
from studio.champions.library import Library
from studio.checkpoints import checkpoints
from studio.references.library import SAMPLES, ClipStore
from studio.settings import Settings
from studio.stores import open_stores


def open_champions(settings: Settings) -> Champions:
    """Open the library and the stores. The names of samples are reserved, because scripts name voices by id.

    Fine-tuned weights are checked against the F5 checkpoint of the settings.
    """
    samples = {sample.name for sample in ClipStore(settings.data_dir, SAMPLES).samples()}
    library = Library(settings.data_dir, reserved=samples)
    stores = open_stores(settings.stores, library.folder / TRANSFERS)
    return Champions(library, stores, partial(vet, against=checkpoints(settings)["f5"]))
