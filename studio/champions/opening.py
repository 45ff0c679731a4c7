"""Champions wired as the settings say, over services that are there."""

from engines.manager import Manager
from studio.champions.attaching import Vet
from studio.champions.champions import TRANSFERS, Champions
from studio.champions.keeping import Keeping
from studio.champions.library import Library
from studio.champions.stores import open_stores
from studio.history import History
from studio.listening import Listening
from studio.settings import Settings
from studio.shelf import Shelf


def open_champions(
    settings: Settings, vet: Vet, history: History, shelf: Shelf, listening: Listening, manager: Manager
) -> Champions:
    """`vet` opens fine-tuned weights against the architecture this studio runs."""
    library = Library(settings.data_dir)
    stores = open_stores(settings.stores, library.folder / TRANSFERS)
    return Champions(library, stores, vet, Keeping(library, history, shelf, listening, manager))
