"""Write Triton's model repository: `python -m deploy.triton.repository FOLDER`.

Engines have two models, whole and streamed, which use the shim of the archives; only their config.pbtxt differs. The models in
`published/` answer the clients that F5-TTS and Spark-TTS publish. `--instances` sets the processes of each model.
"""

import argparse
import re
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

MODELS, PUBLISHED = Path(__file__).parent / "models", Path(__file__).parent / "published"
SHIM = Path(__file__).parents[2] / "studio" / "archive" / "shim" / "model.py"
# The code of a model: names of files in its folder, and where they are here.
CODE = {"model.py": SHIM}
PUBLISHED_CODE = {"model.py": PUBLISHED / "model.py", "chunks.py": PUBLISHED / "chunks.py", "shim.py": SHIM}
WHOLE, STREAMED = "decoupled: false", "decoupled: true"
STREAMABLE = [path.parent.name for path in PUBLISHED.glob("*/config.pbtxt") if WHOLE in path.read_text("utf-8")]
INSTANCES = 3  # one more than the rows of an engine on a CPU


def write_repository(folder: Path, instances: int = INSTANCES, streaming: Collection[str] = ()) -> None:
    """Write every model. Other files in the folder, such as unpacked archives, are kept.

    `streaming` names published models that stream. A model either always streams or never streams.
    """
    for models, code in ((MODELS, CODE), (PUBLISHED, PUBLISHED_CODE)):
        for config in sorted(models.glob("*/config.pbtxt")):
            written = re.sub(r"\bcount: \d+", f"count: {instances}", config.read_text("utf-8"))
            if config.parent.name in streaming:
                written = written.replace(WHOLE, STREAMED)
            _write_model(folder / config.parent.name, written, code)


def _write_model(model: Path, config: str, code: Mapping[str, Path]) -> None:
    (model / "1").mkdir(parents=True, exist_ok=True)
    (model / "config.pbtxt").write_text(config, "utf-8")
    for name, path in code.items():
        shutil.copyfile(path, model / "1" / name)


def _instances(written: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,2}", written):
        raise argparse.ArgumentTypeError(f"{written!r} is not a number from 1 to 999; correct TRITON_INSTANCES")
    return int(written)


def _streamable(written: str) -> str:
    if written not in STREAMABLE:
        raise argparse.ArgumentTypeError(f"{written!r} is not one of {', '.join(STREAMABLE)}; correct TRITON_STREAMING")
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--instances", type=_instances, default=INSTANCES)
    parser.add_argument("--streaming", type=_streamable, nargs="*", default=[])
    given = parser.parse_args()
    write_repository(given.folder, given.instances, given.streaming)
