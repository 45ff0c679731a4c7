"""Compile the kernels of the chosen checkpoints: `python -m deploy.warming FOLDER`, on a GPU of the kind that will use them."""

import logging
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from engines.types import EngineStatus
from studio.engines import open_manager
from studio.network_environment import repair_network_environment
from studio.settings import Settings

log = logging.getLogger(__name__)

LOOK_S = 0.5


def warm(settings: Settings) -> Sequence[EngineStatus]:
    """Load every engine, wait until each is warm or has failed, and return their statuses."""
    manager = open_manager(settings)
    manager.start()
    try:
        while any(status.state not in ("ready", "failed") for status in manager.statuses()):
            time.sleep(LOOK_S)
        return manager.statuses()
    finally:
        manager.close(0.0)


def main(folder: Path) -> int:
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")  # read when the engines import Triton
    with tempfile.TemporaryDirectory() as data:
        statuses = warm(Settings(data_dir=Path(data)))
    for status in statuses:
        log.info("%s: %s", status.title, status.message)
    cold = [status.title for status in statuses if status.info is None or not status.info.compiled]
    if cold:
        log.error("no kernels were compiled for %s; build on a machine with a GPU, or turn WARM_KERNELS off", cold)
    return 1 if cold else 0


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    repair_network_environment()
    sys.exit(main(Path(sys.argv[1]).resolve()))
