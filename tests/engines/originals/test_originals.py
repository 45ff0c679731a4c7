"""The original engines with the embedded checkpoints, through manager and scheduler as in the studio."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bench.lines import shipped
from engines.base import Checkpoint
from engines.errors import BadInput, Cancelled, NotReady
from engines.originals.package import require
from engines.registry import EngineOptions, embedded
from engines.scheduling.manager import Manager, Policy
from engines.scheduling.ticket import Ticket
from engines.types import Request, Take
from studio.checkpoints import checkpoints
from studio.ears.comparing import hear
from studio.ears.models import Models
from studio.script.checks.wording import typed_words
from studio.settings import Settings
from tests.waiting import until

LINE = "The lantern on the table went out before midnight."
ORIGINALS = ("f5-original", "s1-original")


@pytest.fixture(scope="module", params=ORIGINALS)
def manager(request: pytest.FixtureRequest) -> Iterator[Manager]:
    name = request.param
    manager = Manager({name: Checkpoint("embedded")}, EngineOptions(name="cpu"), Policy(request_timeout_s=600))
    manager.start()
    until(lambda: manager.status(name).state in ("ready", "failed"))
    assert manager.status(name).state == "ready", manager.status(name).message
    yield manager
    manager.close(5.0)


def start(manager: Manager, text: str = LINE, seed: int = 7) -> Ticket:
    (name,) = (status.name for status in manager.statuses())
    return manager.submit(Request(text=text, reference=shipped("amber"), seed=seed, engine=name), session_id="ann")


def finish(ticket: Ticket) -> Take:
    while not ticket.ended:
        ticket.read(0.1)
    return ticket.result()


@pytest.mark.long
def test_it_speaks_the_line(manager: Manager, capfd: pytest.CaptureFixture[str]) -> None:
    take = finish(start(manager))
    assert "it/s" not in capfd.readouterr().err
    comparison = hear(Models(), take.audio, typed_words(LINE))
    assert comparison is not None
    heard = [word.verdict == "kept" for word in comparison.words]
    assert sum(heard) >= 6, comparison.words  # of nine
    assert 1.5 < take.audio.duration_s < 5.0
    assert 0.5 * take.cost.total_s < take.cost.compute_s <= take.cost.total_s


@pytest.mark.long
def test_the_same_seed_gives_the_same_take_and_leaves_no_file(
    manager: Manager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one, other = (finish(start(manager, "Not now.")) for _ in range(2))
    assert np.array_equal(one.audio.samples, other.audio.samples)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_cancelled_take_ends_and_the_next_one_starts(manager: Manager) -> None:
    long = start(manager, " ".join([LINE] * 3))
    until(lambda: long.status().state == "running")
    long.cancel()
    with pytest.raises(Cancelled):
        finish(long)
    assert finish(start(manager, "Not now.")).audio.duration_s > 0.3


def test_an_empty_text_is_refused(manager: Manager) -> None:
    with pytest.raises(BadInput):
        finish(start(manager, "  "))


def test_they_are_off_by_default_and_load_the_checkpoints_of_our_engines() -> None:
    assert not set(ORIGINALS) & set(embedded())
    found = checkpoints(Settings(f5_checkpoint="/somewhere/f5.safetensors", s1_checkpoint="/somewhere/s1"))
    assert found["f5-original"].source == "/somewhere/f5.safetensors"
    assert found["s1-original"].source == "/somewhere/s1"


def test_a_missing_package_is_named_with_the_command_that_installs_it() -> None:
    with pytest.raises(NotReady, match="not installed: never_published; run `make original-engines`"):
        require("never_published")
