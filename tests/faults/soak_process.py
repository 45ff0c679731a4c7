"""Start the studio with injected faults in a process, with the command of README or of the container."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.browser.serving import ROOT, Served, free_port, wait_until_ready
from tests.faults.faulty_engines import ENGINES

README = (sys.executable, "app.py")  # Start, "Without make"
CONTAINER = ("deploy/start",)  # ENTRYPOINT of the Dockerfile
# Registers the faulty engines before app.py is read.
REGISTER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from engines.registry import ENGINES
ENGINES.update({ENGINES!r})
"""


@contextmanager
def running(folder: Path, command: Sequence[str] = README, **settings: object) -> Iterator[Served]:
    """Start the studio with its data in the folder `data`, wait until it can speak, and kill it at the end."""
    data_dir, temporary, planted = folder / "data", folder / "data" / "tmp", folder / "planted"
    for path in (temporary, planted):
        path.mkdir(parents=True)
    (planted / "sitecustomize.py").write_text(REGISTER)
    ours = {"STUDIO_PORT": (port := free_port()), "STUDIO_DATA_DIR": data_dir, "STUDIO_DEVICE": "cpu", **settings}
    ours |= {"PYTHONPATH": planted, "PYTHON": sys.executable, "TMPDIR": temporary}
    log = data_dir / "studio.log"
    with log.open("ab") as sink:
        process = subprocess.Popen(command, cwd=ROOT, env=_environment(ours), stdout=sink, stderr=sink)
    served = Served(f"http://127.0.0.1:{port}", process, log)
    try:
        wait_until_ready(served, "/ready")
        yield served
    finally:
        process.kill()
        process.wait()


def _environment(ours: Mapping[str, object]) -> dict[str, str]:
    others = {name: value for name, value in os.environ.items() if not name.startswith("STUDIO_")}
    return others | {name: str(value) for name, value in ours.items()}
