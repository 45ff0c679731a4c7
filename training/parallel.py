"""Several processes, one a GPU, that train one model: what they must share to stay alike."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


class Company:
    """The processes of a training; alone, every method leaves things as they are."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def average(self, gradients: Sequence[Tensor]) -> None:
        """Replace each gradient by its mean over all processes, in one exchange."""
        if self.size == 1 or not gradients:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        pieces = flat.div_(self.size).split([gradient.numel() for gradient in gradients])
        shaped = [piece.view_as(gradient) for piece, gradient in zip(pieces, gradients, strict=True)]
        torch._foreach_copy_(list(gradients), shaped)

    def add(self, *values: Tensor) -> None:
        """Sum values over all processes, in place."""
        if self.size == 1:
            return
        flat = torch.cat([value.flatten() for value in values])
        dist.all_reduce(flat)
        for value, piece in zip(values, flat.split([value.numel() for value in values]), strict=True):
            value.copy_(piece.view_as(value))

    def follow(self, *values: Tensor) -> None:
        """Take the first process's values, in place."""
        if self.size > 1:
            for value in values:
                dist.broadcast(value, 0)

    def wait(self, device: torch.device) -> None:
        """For all processes to have come this far; a broadcast alone lets the first one go on."""
        self.add(torch.zeros((), device=device))
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    def agree(self, numbers: Sequence[float], device: torch.device) -> list[float]:
        """The first process's numbers, everywhere: clocks must not decide alone."""
        if self.size == 1:
            return list(numbers)
        told = torch.tensor(numbers, dtype=torch.float64, device=device)
        dist.broadcast(told, 0)
        return [float(number) for number in told.cpu()]


def gather(work: Callable[[Company, torch.device, Any], None], plan: Any, gpus: Sequence[int], port: int) -> None:
    """Run `work(company, device, plan)` in one process a GPU; on the CPU where there is none (`gpus` then counts)."""
    if len(gpus) <= 1:
        work(Company(), _device(gpus, 0), plan)
        return
    torch.multiprocessing.spawn(_join, (work, plan, tuple(gpus), port), nprocs=len(gpus))


def _join(rank: int, work: Callable[..., None], plan: Any, gpus: tuple[int, ...], port: int) -> None:
    device = _device(gpus, rank)
    backend = "nccl" if device.type == "cuda" else "gloo"
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group(backend, init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=len(gpus))
    work(Company(rank, len(gpus)), device, plan)
    dist.destroy_process_group()


def _device(gpus: Sequence[int], rank: int) -> torch.device:
    if not torch.cuda.is_available() or not gpus:
        return torch.device("cpu")
    return torch.device("cuda", gpus[rank])
