"""Champions wired as the settings say, over services that are there."""

from engines.scheduling.manager import Manager
from studio.champions.attachments import Vet
from studio.champions.champions import TRANSFERS, Champions
from studio.champions.creation import Keeping
from studio.champions.library import Library
from studio.history import History
from studio.listening import Listening
from studio.references.session_clips import SessionClips
from studio.settings import Settings
from studio.stores import open_stores


def open_champions(
    settings: Settings, vet: Vet, history: History, session_clips: SessionClips, listening: Listening, manager: Manager
) -> Champions:
    """`vet` opens fine-tuned weights against the architecture this studio runs."""
    library = Library(settings.data_dir)
    stores = open_stores(settings.stores, library.folder / TRANSFERS)
    return Champions(library, stores, vet, Keeping(library, history, session_clips, listening, manager))
