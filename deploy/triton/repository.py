"""Write Triton's model repository: `python -m deploy.triton.repository FOLDER`, with two models (whole, streamed) per engine.

Every model uses the shim of the archives; only its config.pbtxt differs. `--instances` sets the processes of each model.
"""

import argparse
import re
import shutil
from pathlib import Path

MODELS = Path(__file__).parent / "models"
SHIM = Path(__file__).parents[2] / "studio" / "archive" / "shim" / "model.py"
INSTANCES = 3  # one more than the rows of an engine on a CPU


def write_repository(folder: Path, instances: int = INSTANCES) -> None:
    """Write every model of `models/`. Other files in the folder, such as unpacked archives, are kept."""
    for config in sorted(MODELS.glob("*/config.pbtxt")):
        model = folder / config.parent.name
        (model / "1").mkdir(parents=True, exist_ok=True)
        written = re.sub(r"\bcount: \d+", f"count: {instances}", config.read_text("utf-8"))
        (model / config.name).write_text(written, "utf-8")
        shutil.copyfile(SHIM, model / "1" / SHIM.name)


def _instances(written: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,2}", written):
        raise argparse.ArgumentTypeError(f"{written!r} is not a number from 1 to 999; correct TRITON_INSTANCES")
    return int(written)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--instances", type=_instances, default=INSTANCES)
    given = parser.parse_args()
    write_repository(given.folder, given.instances)
