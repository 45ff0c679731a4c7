"""The engines on a GPU, wired like in the studio. Without a GPU these tests are skipped with a reason.

`make test-gpu` writes the outcome of each test to bench/results/gpu.json.
"""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
import torch
from filelock import FileLock
from xdist.scheduler import LoadScopeScheduling

from bench import s1_checkpoints
from bench.s1_pair import f5_checkpoint
from engines.types import Take
from tests.gpu.house import ENGINES, House, running

HERE = Path(__file__).parent
FALLBACK_LOGGERS = (
    "engines.runtime.backends", "engines.runtime.compilation", "engines.f5.fused_stepper", "engines.s1.resident.frame",
)  # fmt: skip
PROOF, COMMIT, SOUND = "proof", "commit", "sound"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--proof", type=Path, help="where to write what came of each test")
    parser.addoption("--commit", default="", help="of the tree that is tested")
    parser.addoption("--sound", type=Path, help="a folder to keep takes in, for listening")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.gpu)
            item.add_marker(pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"))


class ByHouse(LoadScopeScheduling):
    """Runs tests that share a manager in one process, and the others per file."""

    def _split_scope(self, nodeid: str) -> str:
        house = re.search(r"\[(eager|compiled)\b", nodeid)
        return nodeid.partition("::")[0] + (house[1] if house else "")


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByHouse | None:
    return ByHouse(config, log) if config.getoption("dist") == "loadscope" else None


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption(PROOF, None) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Proof(config), "proof")


class Proof:
    """Records each test's outcome: of its phases, the first that did not pass."""

    def __init__(self, config: pytest.Config) -> None:
        self.path, self.commit = config.getoption(PROOF), config.getoption(COMMIT)
        self.outcomes: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rpartition("/")[2]
        if self.outcomes.get(name, "passed") == "passed":
            self.outcomes[name] = report.outcome

    def pytest_sessionfinish(self) -> None:
        names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        proof = {
            "commit": self.commit,
            "device": ", ".join(names) or "none",
            "torch": torch.__version__,
            "outcomes": self.outcomes,
        }
        self.path.write_text(json.dumps(proof, indent=1) + "\n")


class Fallbacks(logging.Handler):
    """Collects the warnings of backends that failed."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@pytest.fixture(autouse=True)
def no_fallback() -> Iterator[None]:
    """Fail a test in which a backend failed and another one replaced it."""
    fallbacks = Fallbacks()
    loggers = [logging.getLogger(name) for name in FALLBACK_LOGGERS]
    for logger in loggers:
        logger.addHandler(fallbacks)
    yield
    for logger in loggers:
        logger.removeHandler(fallbacks)
    assert not fallbacks.messages


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> object:
    """Write a take to a file, so that it can be listened to."""
    folder = request.config.getoption(SOUND, None)

    def write(name: str, take: Take) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            soundfile.write(folder / f"{name}.flac", take.audio.samples, take.audio.sample_rate)

    return write


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> dict[str, Path]:
    """Write random full-size checkpoints in the real format, by engine, in the first process that needs them."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "full"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            made = own / "made"
            f5_checkpoint(made / "f5", full=True)
            s1_checkpoints.write(made / "s1", s1_checkpoints.FULL, drawn_on="cuda", speaks_only=True)
            made.rename(folder)
    return {name: folder / name for name in ENGINES}


@pytest.fixture(scope="session", params=["off", "on"], ids=["eager", "compiled"])
def house(
    request: pytest.FixtureRequest, full: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """Provide both engines at full size, uncompiled and compiled."""
    with running(
        tmp_path_factory.mktemp("data"),
        speaks_early=True,
        compile=request.param,
        queue_size=32,
        f5_checkpoint=str(full["f5"]),
        s1_checkpoint=str(full["s1"]),
    ) as started:
        yield started
