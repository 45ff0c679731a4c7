"""Command line `python -m studio.champions`. The studio's settings choose the data folder and the stores."""

import sys

from studio.champions.champions import Champions
from studio.champions.commands import main
from studio.champions.factory import open_champions
from studio.command_output import fail
from studio.disk.data_folder import UnusableDataFolder, opening
from studio.network_environment import repair_network_environment
from studio.settings import Settings, WrongSettings


def champions() -> Champions:
    """Open the champions of the settings. Raises WrongSettings, UnusableDataFolder."""
    settings = Settings.load()
    with opening(settings.data_dir):
        return open_champions(settings)


if __name__ == "__main__":
    repair_network_environment()
    try:
        sys.exit(main(sys.argv[1:], champions))
    except (WrongSettings, UnusableDataFolder) as error:
        sys.exit(fail(str(error)))
