"""Malicious and damaged weights, each written like an attacker or an accident would."""

import io
import os
import pickle
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

State = dict[str, Tensor]


class Deed:
    """Touches the canary when it is unpickled without restrictions."""

    def __init__(self, canary: Path, by: Callable[..., object] = os.system) -> None:
        self.what = (by, (f"touch {canary}",)) if by is os.system else (by, (str(canary), "w"))

    def __reduce__(self) -> object:
        return self.what


class Stored:
    """The storage of a pickled tensor: record `data/0` and its number of elements."""

    def __init__(self, numbers: int) -> None:
        self.numbers = numbers


class Claim:
    """A tensor of any shape over a storage of any size, regardless of the file."""

    def __init__(self, numbers: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> None:
        self.parts = (Stored(numbers), 0, shape, stride, False, OrderedDict())

    def __reduce__(self) -> object:
        return torch._utils._rebuild_tensor_v2, self.parts


class Pickler(pickle.Pickler):
    def persistent_id(self, thing: object) -> object:
        return ("storage", torch.FloatStorage, "0", "cpu", thing.numbers) if isinstance(thing, Stored) else None


def zipped(path: Path, pickled: object, compression: int = zipfile.ZIP_STORED, **more: bytes) -> None:
    """Write a PyTorch file with this list and little data."""
    list_ = io.BytesIO()
    Pickler(list_, protocol=2).dump(pickled)
    records = {"data.pkl": list_.getvalue(), "byteorder": b"little", "data/0": bytes(64), "version": b"3\n", **more}
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, data in records.items():
            file.writestr(f"archive/{name}", data)


def rezipped(path: Path, whole: Path, compression: int, twice: bool = False) -> None:
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", compression) as new:
        for record in old.infolist():
            new.writestr(record.filename, old.read(record))
        if twice:
            with warnings.catch_warnings(action="ignore"):  # zipfile's warning about the duplicate
                new.writestr(record.filename, old.read(record))


def tensors(change: Callable[[State], object], suffix: str = ".pt") -> Callable[[Path, State, Path], Path]:
    """Write the valid state after a change."""

    def make(folder: Path, state: State, canary: Path) -> Path:
        changed = dict(state)
        change(changed)
        path = folder / f"model{suffix}"
        if suffix == ".pt":
            torch.save({"model_state_dict": changed}, path)
        else:
            save_file(changed, path)
        return path

    return make


def _put(name: str, value: Callable[[Tensor], object]) -> Callable[[State], object]:
    return lambda state: state.update({name: value(state[name])})  # type: ignore[dict-item]


def _spoilt(number: float) -> Callable[[Tensor], Tensor]:
    def spoil(tensor: Tensor) -> Tensor:
        spoilt = tensor.clone()
        spoilt.view(-1)[7] = number
        return spoilt

    return spoil


def _file(write: Callable[[Path, State, Path], object], name: str = "model.pt") -> Callable[[Path, State, Path], Path]:
    def make(folder: Path, state: State, canary: Path) -> Path:
        write(folder / name, state, canary)
        return folder / name

    return make


def _saved(folder: Path, state: State) -> Path:
    torch.save(state, folder / "whole")
    return folder / "whole"


def _torchscript(path: Path, state: State, canary: Path) -> None:
    torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)), path)


BIG = "transformer_blocks.0.attn.to_q.weight"  # (128, 128)
SMALL = "proj_out.bias"
STORED, DEFLATED = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED

# name -> (how to write it, part of the refusal)
FILES: Mapping[str, tuple[Callable[[Path, State, Path], Path], str]] = {
    "runs a shell": (_file(lambda p, s, c: torch.save({"model_state_dict": Deed(c)}, p)), "damaged or has no"),
    "opens a file": (_file(lambda p, s, c: torch.save({**s, "x": Deed(c, open)}, p)), "damaged or has no"),
    "runs a shell from an old pickle": (_file(lambda p, s, c: p.write_bytes(pickle.dumps(Deed(c)))), "not accepted"),
    "a pickle called safetensors": (
        _file(lambda p, s, c: p.write_bytes(pickle.dumps(Deed(c))), "model.safetensors"),
        "is damaged",
    ),
    "an honest old pickle": (
        _file(lambda p, s, c: torch.save(s, p, _use_new_zipfile_serialization=False)),
        "not accepted",
    ),
    "a TorchScript program": (_file(_torchscript), "TorchScript"),
    "a storage of four terabytes": (
        _file(lambda p, s, c: zipped(p, {BIG: Claim(10**12, (10**6, 10**6), (10**6, 1))})),
        "damaged or has no",
    ),
    "a small storage of a large shape": (
        _file(lambda p, s, c: zipped(p, {**{n: Claim(16, tuple(t.shape), t.stride()) for n, t in s.items()}})),
        "damaged or has no",
    ),
    "one number spread over a million": (
        _file(lambda p, s, c: zipped(p, {BIG: Claim(1, (10**6, 10**6), (0, 0))})),
        "was not tuned from",
    ),
    "a compressed archive": (_file(lambda p, s, c: rezipped(p, _saved(p.parent, s), DEFLATED)), "compressed"),
    "a bomb": (_file(lambda p, s, c: zipped(p, {}, DEFLATED, **{"data/1": bytes(300_000_000)})), "compressed"),
    "a record twice": (_file(lambda p, s, c: rezipped(p, _saved(p.parent, s), STORED, twice=True)), "not a PyTorch file"),
    "a hundred thousand records": (
        _file(lambda p, s, c: zipped(p, {}, **{f"data/{n}": b"" for n in range(1, 100_000)})),
        "not a PyTorch file",
    ),
    "a list of 20 MB": (_file(lambda p, s, c: zipped(p, [f"{n:0997d}" for n in range(20_000)])), "larger than the file"),
    "names that climb out": (_file(lambda p, s, c: zipped(p, {}, **{"../../../canary": b"x"})), "no named tensors"),
    "cut short": (
        _file(lambda p, s, c: p.write_bytes(_saved(p.parent, s).read_bytes()[:-5_000])),
        "is damaged",
    ),
    "cut short, safetensors": (
        _file(lambda p, s, c: (save_file(s, p), os.truncate(p, 100_000)), "model.safetensors"),
        "is damaged",
    ),
    "a header beyond the file": (
        _file(lambda p, s, c: p.write_bytes(b"\xff\xff\xff\xff\xff\x00\x00\x00{}"), "model.safetensors"),
        "is damaged",
    ),
    "empty": (_file(lambda p, s, c: p.write_bytes(b"")), "not accepted"),
    "noise": (_file(lambda p, s, c: p.write_bytes(os.urandom(100_000))), "not accepted"),
    "a list of tensors without names": (_file(lambda p, s, c: torch.save(list(s.values()), p)), "damaged or has no"),
    "names that are numbers": (_file(lambda p, s, c: torch.save(dict(enumerate(s.values())), p)), "damaged or has no"),
    "not a number": (tensors(_put(BIG, _spoilt(float("nan")))), "NaN or infinity"),
    "infinite": (tensors(_put(BIG, _spoilt(float("-inf"))), ".safetensors"), "NaN or infinity"),
    "beyond half precision": (tensors(_put(BIG, _spoilt(1e5))), "exceeds the range of half precision"),
    "whole numbers": (tensors(_put(BIG, Tensor.int)), "int32"),
    "sparse": (tensors(_put(BIG, Tensor.to_sparse)), "damaged or has no|unsupported dtype"),
    "another shape": (tensors(_put(BIG, lambda tensor: tensor[:-1].clone())), r"\(127, 128\) and not \(128, 128\)"),
    "a parameter is missing": (tensors(lambda state: state.pop(SMALL)), f"{SMALL} is missing"),
    "a parameter too many": (tensors(lambda state: state.update(extra=torch.ones(3))), "'extra' is unknown"),
}  # fmt: skip
