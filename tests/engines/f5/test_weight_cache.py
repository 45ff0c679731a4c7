"""Which weights stay in memory: budgets for device and host, and sets in use always stay."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from engines.errors import BadCheckpoint
from engines.f5.flat_parameters import FlatParameters
from engines.f5.weight_cache import BASE, WeightBudget, WeightCache
from engines.f5.weight_turns import SLICE, WeightTurns
from engines.types import Weights
from tests.waiting import until

ROOT = Path(__file__).parents[3]


class Flat:
    """A layer of equal numbers, so that its output shows which weights are active."""

    def __init__(self, folder: Path, device_sets: int, host_sets: int, width: int = 8) -> None:
        self.folder, self.width = folder, width
        self.layer = nn.Linear(width, width)
        nn.init.constant_(self.layer.weight, 0.0)
        nn.init.constant_(self.layer.bias, 0.0)
        self.parameters = FlatParameters(self.layer, torch.device("cpu"), torch.float32)
        self.size = self.parameters.data.nbytes
        self.leased: set[str] = set()
        budget = WeightBudget(device_sets * self.size, host_sets * self.size)
        self.weight_cache = WeightCache(self.parameters, budget, lambda: self.leased)

    def weights(self, number: int) -> Weights:
        path = self.folder / f"{number}.safetensors"
        if not path.exists():
            state = {name: torch.full_like(value, number) for name, value in self.layer.state_dict().items()}
            save_file(state, path)
        with path.open("rb") as file:
            return Weights(str(path), hashlib.file_digest(file, "sha256").hexdigest(), f"champion {number}")

    def use(self, number: int) -> float:
        """Activate a set (0 is the base) like a job; return the number that the layer then computes with."""
        weights = self.weights(number) if number else None
        key = BASE if weights is None else weights.sha256
        self.leased = {key}
        if weights is not None:
            self.weight_cache.start_loading(weights)
            until(lambda: not self.weight_cache.is_loading(key))
            assert self.weight_cache.collect_loaded() == {}
        self.weight_cache.activate(key)
        self.leased = set()
        values = {bound.item() for values in self.layer.parameters() for bound in values.detach().aminmax()}
        assert len(values) == 1
        return values.pop()


def test_every_set_is_restored_completely_with_any_budget(tmp_path: Path) -> None:
    for device_sets in range(4):
        for host_sets in range(4):
            flat = Flat(tmp_path, device_sets, host_sets)
            order = [1, 0, 2, 3, 1, 0, 1, 3, 3, 2, 0, 2, 1, 0]
            assert [flat.use(number) for number in order] == order, (device_sets, host_sets)


def test_a_budget_for_all_reads_each_set_once(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 4, 3)
    for number in (1, 2, 3, 0, 1, 2, 3):
        flat.use(number)
    counts = flat.weight_cache.counts
    assert (counts.loaded, counts.found, counts.evicted) == (3, 3, 0)
    assert flat.weight_cache.memory_bytes == (4 + 3) * flat.size, "on a CPU both kinds of copies count"


def test_the_least_recently_used_set_is_read_again(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 0, 3)  # the base and two others
    for number in (1, 2, 1, 3):
        flat.use(number)
    loaded = flat.weight_cache.counts.loaded
    flat.use(1)
    assert flat.weight_cache.counts.loaded == loaded == 3
    flat.use(2)
    assert flat.weight_cache.counts.loaded == 4


def test_a_set_that_leaves_the_device_stays_in_host_memory(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 1, 4)
    for number in (1, 2, 3, 1, 2, 3):
        flat.use(number)
    assert flat.weight_cache.counts.loaded == 3 and flat.weight_cache.counts.evicted > 0


def test_sets_in_use_stay_above_the_budget(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 0, 1)
    one, two = flat.weights(1), flat.weights(2)
    for weights in (one, two):
        flat.leased.add(weights.sha256)
        flat.weight_cache.start_loading(weights)
        until(lambda key=weights.sha256: not flat.weight_cache.is_loading(key))
        flat.weight_cache.collect_loaded()
    assert flat.weight_cache.is_available(one.sha256) and flat.weight_cache.is_available(two.sha256)
    flat.leased = {two.sha256}
    flat.weight_cache.start_loading(flat.weights(3))
    assert not flat.weight_cache.is_available(one.sha256) and flat.weight_cache.is_available(two.sha256)


def test_idle_sets_leave_the_device_when_the_work_needs_it(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 4, 4)
    for number in (1, 2, 3):
        flat.use(number)
    before = flat.weight_cache.memory_bytes
    assert flat.weight_cache.evict_idle() and not flat.weight_cache.evict_idle()
    assert flat.weight_cache.memory_bytes == before - 3 * flat.size, "three copies left, the base's moved to the host"
    assert [flat.use(number) for number in (0, 1, 2, 3)] == [0, 1, 2, 3]
    assert flat.weight_cache.counts.loaded == 3


def test_weights_that_no_job_waits_for_are_not_read(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 0, 9)
    wanted = [flat.weights(number) for number in range(1, 6)]
    for weights in wanted:
        flat.leased = {weights.sha256}  # the earlier one was cancelled
        flat.weight_cache.start_loading(weights)
    until(lambda: not flat.weight_cache.is_loading(wanted[-1].sha256))
    flat.weight_cache.collect_loaded()
    assert flat.weight_cache.is_available(wanted[-1].sha256) and flat.weight_cache.counts.loaded <= 2


def test_a_failed_read_is_reported_once_and_retried(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 0, 9)
    weights = flat.weights(1)
    whole = Path(weights.path).read_bytes()
    Path(weights.path).write_bytes(whole[:-1])
    flat.leased = {weights.sha256}
    flat.weight_cache.start_loading(weights)
    until(lambda: not flat.weight_cache.is_loading(weights.sha256))
    assert isinstance(flat.weight_cache.collect_loaded()[weights.sha256], BadCheckpoint)
    Path(weights.path).write_bytes(whole)
    assert flat.use(1) == 1


FULL = """
import resource, sys
from pathlib import Path
from tests.engines.f5.test_weight_cache import Flat

flat = Flat(Path(sys.argv[1]), 9, 9, width=6000)  # 144 MB a set
data = [int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmData")][0]
limit = data + int(2.5 * flat.size)  # the base's copy and the champion's own, and no more
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
print([flat.use(number) for number in (1, 0, 1)], flat.weight_cache.counts.loaded)
"""


@pytest.mark.long
def test_a_device_without_room_falls_back_to_host_memory(tmp_path: Path) -> None:
    """The budget allows copies, but a real allocation fails."""
    Flat(tmp_path, 0, 0, width=6000).weights(1)
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n")[0] == "[1.0, 0.0, 1.0] 1", done.stderr
    assert "too little device memory" in done.stderr


def test_parameters_are_views_of_one_buffer_and_start_on_wide_words(tmp_path: Path) -> None:
    flat = Flat(tmp_path, 0, 0, width=7)
    start = flat.parameters.data.data_ptr()
    offsets = [parameter.data_ptr() - start for parameter in flat.layer.parameters()]
    assert all(0 <= offset < flat.size and offset % 256 == 0 for offset in offsets)


@pytest.mark.parametrize("sets", [2, 3, 5])
def test_turns_are_equal(sets: int) -> None:
    turns, wanting = WeightTurns(), [str(number) for number in range(sets)]
    served = [turns.next(wanting) for _ in range(sets * SLICE * 3)]
    assert all(served.count(name) == SLICE * 3 for name in wanting)


def test_a_single_set_is_never_changed() -> None:
    turns = WeightTurns()
    assert {turns.next(["one"]) for _ in range(5 * SLICE)} == {"one"}


def test_a_cleared_cache_keeps_the_base_and_the_sets_in_use(tmp_path: Path) -> None:
    for device_sets in (0, 4):
        flat = Flat(tmp_path, device_sets, 3)
        assert [flat.use(number) for number in (1, 2)] == [1, 2]
        flat.leased = {flat.weights(1).sha256}
        flat.weight_cache.clear()
        assert (flat.weight_cache.use.entries, flat.weight_cache.active) == (1, BASE)
        flat.leased = set()
        flat.weight_cache.clear()
        assert (flat.weight_cache.use.entries, flat.weight_cache.memory_bytes) == (0, 0)
        assert [flat.use(number) for number in (0, 1, 0)] == [0, 1, 0]
