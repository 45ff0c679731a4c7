"""Use only the second card: print where the process's contexts are, and which card the page would show."""

import json
import sys
from pathlib import Path

import torch

from studio.telemetry.gauges import open_gauge
from tests.gpu.house import ENGINES, running

DEVICE = "cuda:1"
BALLAST_BYTES = 4_000_000_000


def main() -> None:
    with running(Path(sys.argv[1]), device=DEVICE) as house:
        for engine in ENGINES:
            house.say(engine)
        gauge = open_gauge(DEVICE)
        before = gauge.read().used_bytes
        ballast = torch.zeros(BALLAST_BYTES, dtype=torch.uint8, device=DEVICE)
        found = {
            "contexts": [torch._C._cuda_hasPrimaryContext(index) for index in (0, 1)],
            "shown_bytes": gauge.read().used_bytes - before,
            "taken_bytes": ballast.nbytes,
            "engines": [status.info.device for status in house.manager.statuses() if status.info],
        }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
