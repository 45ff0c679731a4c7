"""Command line `python -m studio.script`, with the studio's settings and data folder."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from studio.command_output import fail
from studio.composition import compose
from studio.disk.data_folder import UnusableDataFolder, claimed
from studio.network_environment import repair_network_environment
from studio.script.commands import main
from studio.script.scripts import Scripts
from studio.settings import Settings, WrongSettings

CLOSE_S = 5.0


@contextmanager
def opened() -> Iterator[Scripts]:
    """Open the scripts and run the engines until the block ends. Raises SystemExit for invalid settings or data folder."""
    try:
        settings = Settings.load()
        own = claimed(settings.data_dir)
        studio = compose(settings)
    except (WrongSettings, UnusableDataFolder) as error:
        raise SystemExit(fail(str(error))) from error
    with own:
        studio.manager.start()
        studio.telemetry.start()
        studio.scripts.renderer.start()
        try:
            yield studio.scripts
        finally:
            studio.scripts.renderer.close()
            studio.manager.close(CLOSE_S)
            studio.telemetry.close()
            studio.history.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    repair_network_environment()
    sys.exit(main(sys.argv[1:], opened))
