"""Data parallelism: several processes, one for each GPU, train the same model."""

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

Options = TypeVar("Options")


class ProcessGroup:
    """The processes of a training. With a single process, every method does nothing."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def average(self, gradients: Sequence[Tensor]) -> None:
        """Replace each gradient by its mean over all processes, in one exchange."""
        if self.size == 1 or not gradients:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        pieces = torch.split(flat.div_(self.size), [gradient.numel() for gradient in gradients])
        shaped = [piece.view_as(gradient) for piece, gradient in zip(pieces, gradients, strict=True)]
        torch._foreach_copy_(list(gradients), shaped)

    def add(self, *values: Tensor) -> None:
        """Sum values over all processes, in place."""
        if self.size == 1:
            return
        flat = torch.cat([value.flatten() for value in values])
        dist.all_reduce(flat)
        for value, piece in zip(values, torch.split(flat, [value.numel() for value in values]), strict=True):
            value.copy_(piece.view_as(value))

    def broadcast(self, *values: Tensor) -> None:
        """Copy the values of the first process to all processes, in place."""
        if self.size > 1:
            for value in values:
                dist.broadcast(value, 0)

    def barrier(self, device: torch.device) -> None:
        """Wait until all processes have reached this point. A broadcast alone would not stop the first process."""
        self.add(torch.zeros((), device=device))
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    def broadcast_numbers(self, numbers: Sequence[float], device: torch.device) -> list[float]:
        """Return the numbers of the first process in every process, so that all processes decide by the same clock."""
        if self.size == 1:
            return list(numbers)
        received = torch.tensor(numbers, dtype=torch.float64, device=device)
        dist.broadcast(received, 0)
        return [float(number) for number in received.cpu()]


Work = Callable[[ProcessGroup, torch.device, Options], None]


def run(work: Work[Options], options: Options, gpus: Sequence[int], port: int) -> None:
    """Run `work(group, device, options)` in one process for each GPU, or in one process on the CPU if `gpus` is empty."""
    if len(gpus) <= 1:
        work(ProcessGroup(), _device(gpus, 0), options)
        return
    multiprocessing: Any = torch.multiprocessing
    multiprocessing.spawn(_join, (work, options, tuple(gpus), port), nprocs=len(gpus))


def _join(rank: int, work: Work[Options], options: Options, gpus: tuple[int, ...], port: int) -> None:
    level = logging.INFO if rank == 0 else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    device = _device(gpus, rank)
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=len(gpus))
    work(ProcessGroup(rank, len(gpus)), device, options)
    dist.destroy_process_group()


def _device(gpus: Sequence[int], rank: int) -> torch.device:
    if not torch.cuda.is_available() or not gpus:
        return torch.device("cpu")
    device = torch.device("cuda", gpus[rank])
    torch.cuda.set_device(device)
    return device
