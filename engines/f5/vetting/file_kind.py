"""Detect the kind of a checkpoint file by its bytes, before a reader opens it. This module does not import torch."""

import zipfile
from pathlib import Path

from engines.errors import BadCheckpoint

LIST_MOST = 16_000_000  # limit of a file's list of tensors; upstream's full training state has 0.3 MB
RECORDS_MOST = 20_000


def is_pytorch(path: Path) -> bool:
    """Return True for a PyTorch file of tensors, False for .safetensors. Raises BadCheckpoint for any other file."""
    with path.open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    if zipped:
        _check(path)
    elif path.suffix != ".safetensors":
        raise BadCheckpoint(
            f"{path.name} is neither a PyTorch file of tensors nor .safetensors; other pickles are not accepted"
        )
    return zipped


def _check(path: Path) -> None:
    """Check that the file is a zip of uncompressed records with exactly one list of tensors, as PyTorch writes it."""
    try:
        with zipfile.ZipFile(path) as held:
            records = held.infolist()
    except zipfile.BadZipFile as error:
        raise BadCheckpoint(f"{path.name} is damaged; download it again") from error
    names = [record.filename for record in records]
    if any("/code/" in name or name.endswith("constants.pkl") for name in names):
        raise BadCheckpoint(f"{path.name} is a TorchScript program; choose a file of tensors")
    if any(record.compress_type != zipfile.ZIP_STORED or record.flag_bits & 1 for record in records):
        raise BadCheckpoint(
            f"{path.name} is a compressed or encrypted archive, not a PyTorch file; save it again from F5-TTS"
        )
    lists = [record for record in records if record.filename.endswith(".pkl")]
    if len(lists) != 1 or len(set(names)) != len(names) or len(names) > RECORDS_MOST:
        raise BadCheckpoint(f"{path.name} is not a PyTorch file of one checkpoint; save it again from F5-TTS")
    if lists[0].file_size > LIST_MOST or sum(record.file_size for record in records) > path.stat().st_size:
        raise BadCheckpoint(f"{path.name} is damaged: its records are larger than the file; download it again")
