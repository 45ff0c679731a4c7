"""What the vetting process does: open F5 weights, check every tensor, write them in the layouts the studio keeps.

Everything here runs on what a stranger sent; `engines.vetting` bounds the process and tells the rest of the studio.
"""

import hashlib
import logging
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from engines.errors import BadCheckpoint
from engines.f5.files import read_design
from engines.f5.frontend import Vocabulary
from engines.f5.layouts import transformer, upstream
from engines.f5.network import DiT, DiTConfig
from engines.weights import misfit, read, shapes

log = logging.getLogger(__name__)

DTYPES = (torch.float32, torch.float16, torch.bfloat16)
LARGEST = torch.finfo(torch.float16).max  # a GPU speaks in half precision
LIST_MOST = 16_000_000  # bytes of a file's list of tensors; upstream's whole training state has 0.3 MB
RECORDS_MOST = 20_000


class Errand(Protocol):
    """As `engines.vetting` sends it; that module is not imported here, since it is the program that runs."""

    @property
    def weights(self) -> str: ...
    @property
    def safetensors(self) -> str: ...
    @property
    def pt(self) -> str: ...
    @property
    def architecture(self) -> str: ...
    @property
    def vocabulary(self) -> str: ...
    @property
    def design(self) -> str: ...


def answer(errand: Errand) -> dict[str, object]:
    """`vetted` with what was found, `refused` with what is wrong, or `failed` with why nothing could be written."""
    name = Path(errand.weights).name
    try:
        network = _network(errand)
        tensors = _checked(_opened(Path(errand.weights)), network, name, errand.design)
    except BadCheckpoint as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": f"{name} asks for far more memory than F5-TTS weights need; it is broken or no checkpoint"}
    except Exception:  # whatever a stranger's file can bring about in a reader means the same
        log.exception("%s", name)
        return {"refused": f"{name} is broken or holds no F5-TTS weights; save it again from F5-TTS"}
    try:
        return {"vetted": _written(tensors, errand, network.config.dim_head)}
    except (OSError, SafetensorError, RuntimeError) as error:
        return {"failed": f"{name} is good but could not be stored ({error}); free some disk space and try again"}


def _network(errand: Errand) -> DiT:
    """Its names and shapes; no memory."""
    arch, _ = read_design(Path(errand.architecture))
    with torch.device("meta"), Undrawn():
        return DiT(DiTConfig.from_mapping(arch, Vocabulary.read(Path(errand.vocabulary)).size))


class Undrawn(TorchFunctionMode):
    """Networks built within it draw no first values: to draw them on `meta` imports the compiler, for seconds."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        drawn = getattr(function, "__module__", "") == nn.init.__name__
        return given["tensor"] if drawn else function(*args, **given)


def _opened(path: Path) -> dict[str, Any]:
    """The file's tensors, mapped where they are. Its kind is told by its content, whatever its name."""
    with path.open("rb") as file:
        is_zip = file.read(4) == b"PK\x03\x04"
    if is_zip:
        _check_records(path)
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    if path.suffix == ".safetensors":
        return read(path)
    raise BadCheckpoint(
        f"{path.name} is neither a PyTorch file of tensors nor .safetensors; pickles of other kinds are never opened"
    )


def _check_records(path: Path) -> None:
    """A PyTorch file is a zip whose records are stored as they are; everything else about it is a trick."""
    with zipfile.ZipFile(path) as held:
        records = held.infolist()
    names = [record.filename for record in records]
    if any("/code/" in name or name.endswith("constants.pkl") for name in names):
        raise BadCheckpoint(f"{path.name} is a TorchScript program; only files of tensors are taken")
    if any(record.compress_type != zipfile.ZIP_STORED or record.flag_bits & 1 for record in records):
        raise BadCheckpoint(
            f"{path.name} is a compressed or locked archive and no PyTorch file; save it again from F5-TTS"
        )
    pickles = [record for record in records if record.filename.endswith(".pkl")]
    if len(pickles) != 1 or len(set(names)) != len(names) or len(names) > RECORDS_MOST:
        raise BadCheckpoint(f"{path.name} is no PyTorch file of one checkpoint; save it again from F5-TTS")
    if pickles[0].file_size > LIST_MOST or sum(record.file_size for record in records) > path.stat().st_size:
        raise BadCheckpoint(f"{path.name} claims to hold more than it does; it is broken, fetch it again")


def _checked(held: dict[str, Any], network: DiT, name: str, design: str) -> dict[str, Tensor]:
    """Exactly the network's tensors, each one plain, of its shape, finite and within half precision."""
    tensors = transformer(held)
    if not tensors:
        raise BadCheckpoint(f"{name} holds no named tensors of a transformer; it is no F5-TTS checkpoint")
    if wrong := misfit({key: tuple(tensor.shape) for key, tensor in tensors.items()}, shapes(network)):
        raise BadCheckpoint(f"{name} was not tuned from {design}: {wrong}; choose weights tuned from it")
    for key, tensor in tensors.items():
        plain = (
            type(tensor) in (Tensor, nn.Parameter) and tensor.layout == torch.strided and tensor.device.type == "cpu"
        )
        if not plain or tensor.dtype not in DTYPES:
            raise BadCheckpoint(
                f"{name}: {key} is {tensor.dtype} of a kind F5-TTS has not; save it as float32 or float16"
            )
        low, high = (bound.item() for bound in tensor.detach().aminmax())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise BadCheckpoint(
                f"{name}: {key} holds numbers that are not finite; its training broke, use an earlier one"
            )
        if max(-low, high) > LARGEST:
            raise BadCheckpoint(f"{name}: {key} holds numbers beyond half precision, so it would speak noise on a GPU")
    return {key: tensors[key].detach().contiguous() for key in sorted(tensors)}


def _written(tensors: Mapping[str, Tensor], errand: Errand, dim_head: int) -> dict[str, object]:
    save_file(dict(tensors), errand.safetensors)
    if errand.pt and Path(errand.weights).suffix == ".safetensors":
        with open(errand.pt, "wb") as file:
            torch.save(upstream(tensors, dim_head), file)
    with open(errand.safetensors, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    dtypes = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values()})
    parameters = sum(tensor.numel() for tensor in tensors.values())
    return {"parameters": parameters, "dtype": "+".join(dtypes), "tensors": len(tensors), "sha256": digest}
