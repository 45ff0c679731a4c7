"""`python -m studio.champions`: the settings decide the data folder and the stores, as they do for the studio."""

import sys
from functools import partial

from engines.f5.vetting.process import vet
from engines.registry import Device
from engines.scheduling.manager import Manager, Policy
from studio.champions.champions import Champions
from studio.champions.commands import FAILED, main
from studio.champions.opening import open_champions
from studio.engines import checkpoints
from studio.history import History
from studio.listening import Listening
from studio.references.library import ClipStore
from studio.references.session_clips import SessionClips
from studio.settings import Settings, WrongSettings


def champions() -> Champions:
    """Wired as in the studio; no engine is loaded."""
    settings = Settings.load()
    vetted, history = partial(vet, against=checkpoints(settings)["f5"]), History(settings.data_dir)
    session_clips, listening = (
        SessionClips(ClipStore(settings.data_dir), settings.data_dir),
        Listening(history, settings.data_dir),
    )
    manager = Manager({}, Device(), Policy())
    return open_champions(settings, vetted, history, session_clips, listening, manager)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], champions))
    except WrongSettings as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(FAILED)
