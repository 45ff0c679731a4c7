"""Run `python -m studio.data`. The command `backup` reads the data folder of `STUDIO_DATA_DIR`."""

import sys
from pathlib import Path

from studio.command_output import fail
from studio.data.commands import main
from studio.disk.data_folder import UnusableDataFolder
from studio.settings import Settings, WrongSettings


def data_folder() -> Path:
    """Return the data folder of the settings. Raises WrongSettings."""
    return Settings.load().data_dir


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], data_folder))
    except (WrongSettings, UnusableDataFolder) as error:
        sys.exit(fail(str(error)))
