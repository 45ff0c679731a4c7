"""Run `deploy/start` in a separate tree, where a stub prints its environment instead of starting the studio."""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.context import ROOT

TELL = "#!/bin/sh\nenv\n"


def started(tree: Path, **given: object) -> dict[str, str]:
    """Return the environment that the studio would have."""
    (tree / "deploy").mkdir(exist_ok=True)
    shutil.copy2(ROOT / "deploy" / "start", tree / "deploy")
    python = tree / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(TELL)
    python.chmod(0o755)
    environment = {"PATH": os.environ["PATH"]} | {name: str(value) for name, value in given.items()}
    printed = subprocess.run(
        [tree / "deploy" / "start"], env=environment, check=True, capture_output=True, text=True
    ).stdout
    return dict(line.split("=", 1) for line in printed.splitlines())
