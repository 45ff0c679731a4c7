"""`python -m studio.champions`: the settings decide the data folder and the stores, as they do for the studio."""

import sys

from studio.champions.champions import Champions
from studio.champions.commands import FAILED, main
from studio.champions.factory import open_champions
from studio.settings import Settings, WrongSettings


def champions() -> Champions:
    """Raises WrongSettings."""
    return open_champions(Settings.load())


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], champions))
    except WrongSettings as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(FAILED)
