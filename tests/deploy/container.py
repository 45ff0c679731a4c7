"""Run `make container-check` as root on Debian: build the Dockerfile's `studio` without Docker, run it and hear it.

The root is read-only, the studio runs as UID 1000 without a network, and only its data folder and /tmp are writable.
"""

import json
import logging
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import psutil

from tests.deploy.building import Builder, Image, Outside, bind, mounted
from tests.deploy.dockerfile import read
from tests.studio.champions.hearing import understood
from tests.waiting import PATIENCE_S, until

log = logging.getLogger("container")
Result = TypeVar("Result")

DOCKERFILE = Path(__file__).parents[2] / "Dockerfile"
LINE = "Our base is under attack."
URL = "http://127.0.0.1:7860"
PORT_WITHIN_S, READY_WITHIN_S = 5.0, 120.0
LOOK_S = 0.05
WRITABLE = ("data", "tmp")
LO_UP = "ip link set lo up && exec chroot --userspec=1000:1000 {root} env -C {folder} {command}"


@dataclass(frozen=True, slots=True)
class Container:
    process: subprocess.Popen[bytes]  # of `unshare`, whose child is the image's command
    first: psutil.Process  # the image's command, which sees itself as process 1
    log: Path

    def curl(self, path: str, *options: str) -> subprocess.CompletedProcess[bytes]:
        """Send a request from within its network."""
        within = ["nsenter", f"--net=/proc/{self.first.pid}/ns/net"]
        return subprocess.run(
            [*within, "curl", "--silent", "--fail", *options, URL + path], check=False, capture_output=True
        )

    def say(self, engine: str) -> bytes:
        """Return LINE as a WAV file."""
        asked = {"model": engine, "voice": "amber", "input": LINE, "seed": 7, "response_format": "wav"}
        said = self.curl("/v1/audio/speech", "--json", json.dumps(asked))
        assert said.returncode == 0, self.log.read_text(errors="replace")
        return said.stdout

    def wait_for(self, path: str, holds: Callable[[bytes], bool] = bool) -> None:
        """Wait until an answer exists and the condition holds for it."""

        def answered() -> bool:
            assert self.process.poll() is None, self.log.read_text(errors="replace")
            return holds(self.curl(path).stdout)

        until(answered)

    def wait_for_engine(self, name: str) -> None:
        self.wait_for(f"/v1/models/{name}", lambda body: bool(body) and json.loads(body)["state"] == "ready")

    @property
    def tree(self) -> list[psutil.Process]:
        return [self.first, *self.first.children(recursive=True)]

    def processor_s(self) -> float:
        return sum(one.cpu_times().user + one.cpu_times().system for one in self.tree)

    def resident_mb(self) -> float:
        return sum(one.memory_info().rss for one in self.tree) / 1e6


@contextmanager
def running(image: Image, work: Path) -> Iterator[Container]:
    """Start the image's command like a container runtime, with minimal rights."""
    with ExitStack() as mounts:
        root = mounted(image.layers, work / "running", mounts)  # read-only, because it has no upper layer
        for place in WRITABLE:
            folder = work / "written" / place
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            shutil.chown(folder, 1000, 1000)
            bind(folder, root / place, mounts)
        bind(Path("/dev"), root / "dev", mounts)
        start = LO_UP.format(root=root, folder=image.folder, command=" ".join(image.command))
        apart = ["unshare", "--net", "--pid", "--fork", "--kill-child", f"--mount-proc={root / 'proc'}"]
        with (work / "log").open("wb") as sink:
            process = subprocess.Popen([*apart, "sh", "-c", start], env=image.environment, stdout=sink, stderr=sink)
        try:
            yield Container(process, first_of(process), work / "log")
        finally:
            process.kill()
            process.wait()


def first_of(process: subprocess.Popen[bytes]) -> psutil.Process:
    """Return the only child process."""
    while process.poll() is None:
        if children := psutil.Process(process.pid).children():
            return children[0]
        time.sleep(LOOK_S)
    raise AssertionError("it did not start")


def check(container: Container, work: Path) -> None:
    timed("until the port answered", container, lambda: container.wait_for("/health"), PORT_WITHIN_S)
    timed("until it was ready", container, lambda: container.wait_for("/ready"), READY_WITHIN_S)
    for engine in ("f5", "s1"):
        timed(f"until {engine} was warm", container, lambda engine=engine: container.wait_for_engine(engine))
        wav = timed(f"for {engine} to say a line", container, lambda engine=engine: container.say(engine))
        (work / f"{engine}.wav").write_bytes(wav)
        heard = understood(wav)
        log.info("%s: heard %r in %d bytes", engine, heard, len(wav))
        assert heard == LINE, f"{engine} said something else: listen to {work / engine}.wav"
    log.info("%.0f MB resident", container.resident_mb())
    began = time.monotonic()
    container.first.terminate()
    container.process.wait(PATIENCE_S)
    log.info("%6.1f s from SIGTERM to its end", time.monotonic() - began)
    assert container.process.returncode == 0, container.process.returncode
    for place in WRITABLE:
        paths = sorted(path for path in (work / "written" / place).rglob("*") if path.is_file())
        log.info(
            "written to /%s: %s", place, ", ".join(str(path.relative_to(work / "written" / place)) for path in paths)
        )
    log.info("its log:\n%s", container.log.read_text(errors="replace"))


def timed(what: str, container: Container, act: Callable[[], Result], within_s: float = PATIENCE_S) -> Result:
    """Measure processor time, because other programs may load this machine."""
    began, used = time.monotonic(), container.processor_s()
    result = act()
    took_s, used_s = time.monotonic() - began, container.processor_s() - used
    log.info("%6.1f s, %5.1f s of processor  %s", took_s, used_s, what)
    assert used_s <= within_s, f"that is more than {within_s} s"
    return result


def arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.deploy.container", description=__doc__)
    parser.add_argument(
        "--work", type=Path, default=Path("/var/tmp/container-check"), help="a folder with 10 GB of room"
    )
    parser.add_argument("--target", default="", help="only build this stage")
    parser.add_argument("--file", metavar="THERE=HERE", type=pair, action="append", default=[], help="for RUN steps")
    parser.add_argument(
        "--variable", metavar="NAME=VALUE", type=pair, action="append", default=[], help="for RUN steps"
    )
    return parser.parse_args()


def pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value


def main(given: Namespace) -> None:
    stages = read(DOCKERFILE)
    builder = Builder(given.work, stages, Outside(dict(given.file), dict(given.variable)))
    image = builder.image(given.target or list(stages)[-1])
    if given.target:
        return
    with running(image, given.work) as container:
        check(container, given.work)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    main(arguments())
