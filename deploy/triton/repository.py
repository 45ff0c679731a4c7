"""Triton's model repository: `python -m deploy.triton.repository FOLDER` writes a model for each engine, whole and streamed.

All of them are the shim that every archive carries; what differs is their config.pbtxt.
"""

import argparse
import shutil
from pathlib import Path

MODELS = Path(__file__).parent / "models"
SHIM = Path(__file__).parents[2] / "studio" / "archive" / "shim" / "model.py"


def write_repository(folder: Path) -> None:
    """Write every model of `models/`; what else lies in the folder, as archives that were unpacked there, stays."""
    for config in sorted(MODELS.glob("*/config.pbtxt")):
        model = folder / config.parent.name
        (model / "1").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(config, model / config.name)
        shutil.copyfile(SHIM, model / "1" / SHIM.name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    write_repository(parser.parse_args().folder)
