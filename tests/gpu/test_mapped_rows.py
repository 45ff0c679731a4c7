"""Rows of GPU memory that are allocated one after another."""

from collections.abc import Iterator

import pytest
import torch

from engines.runtime.mapped_rows import MappedRows

ROW_BYTES = 5_000_000  # not a multiple of the device's mapping granularity
STEP = 6_291_456
CARD = torch.device("cuda", 0)


@pytest.fixture
def rows() -> Iterator[MappedRows]:
    mapped = MappedRows(8, ROW_BYTES, CARD)
    yield mapped
    mapped.close()


def test_an_allocated_row_has_its_own_memory_and_keeps_its_contents(rows: MappedRows) -> None:
    every = rows.bytes_of_all
    assert every.shape == (8, ROW_BYTES)
    every[0] = 1
    every[5] = 7  # the spare row's memory, which backs all unallocated rows
    assert every[6].unique().tolist() == [7]
    rows.allocate(3)
    assert (rows.allocated, rows.bytes) == (3, 3 * STEP)
    assert [every[row].unique().tolist() for row in range(4)] == [[1], [0], [0], [7]]
    every[2] = 9
    rows.allocate(2)  # its memory exists
    rows.finish_warmup()
    rows.allocate(8)
    assert [every[row].unique().tolist() for row in range(8)] == [[1], [0], [9], [0], [0], [0], [0], [0]]


def test_after_warm_up_a_row_is_allocated_while_the_device_works(
    rows: MappedRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waited(*_: object) -> None:
        pytest.fail("it waited for the device")

    rows.finish_warmup()
    # The first launch of a kernel waits for the device, so the kernel that is used below is launched here.
    torch.empty(4, STEP, dtype=torch.uint8, device=CARD)[1:, :ROW_BYTES] = 7
    torch.cuda.synchronize()
    monkeypatch.setattr(torch.cuda, "synchronize", waited)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(2_000_000_000)  # cycles, about a second
        rows.allocate(4)
    rows.bytes_of_all[1:4] = 7  # at once, on another stream, and zeroed after it
    torch.cuda.current_stream().synchronize()
    working = not stream.query()
    monkeypatch.undo()
    stream.synchronize()
    assert working
    assert not rows.bytes_of_all[1:4].any()


def test_memory_is_allocated_and_released(rows: MappedRows) -> None:
    every = rows.bytes_of_all
    rows.allocate(5)
    every[3] = 5
    rows.release(3)
    assert (rows.allocated, rows.bytes) == (3, 3 * STEP)
    every[4] = 7
    assert every[3].unique().tolist() == [7]  # the spare row's again
    rows.finish_warmup()
    rows.allocate(6)
    rows.release(2)
    rows.allocate(4)
    assert every[2:4].unique().tolist() == [0]
    rows.close()
    rows.close()
    assert rows.bytes == 0


def test_a_full_device_raises_and_nothing_changes() -> None:
    rows = MappedRows(8, torch.cuda.mem_get_info(CARD)[0] // 6, CARD)
    try:
        rows.finish_warmup()
        rows.bytes_of_all[0, :9] = 1
        with pytest.raises(torch.OutOfMemoryError):
            rows.allocate(8)
        assert (
            1 <= rows.allocated <= 3
        )  # six rows were free, and there must be room for three besides the allocated ones
        assert rows.bytes_of_all[0, :10].tolist() == [1] * 9 + [0]
    finally:
        rows.close()


def test_a_graph_recorded_before_an_allocation_reads_the_rows_later_contents(rows: MappedRows) -> None:
    row, found = rows.bytes_of_all[4], torch.zeros(ROW_BYTES, dtype=torch.uint8, device=CARD)
    found.copy_(row)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found.copy_(row)
    rows.allocate(5)
    rows.finish_warmup()
    row.fill_(3)
    graph.replay()
    assert found.unique().tolist() == [3]
