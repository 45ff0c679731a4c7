"""What kind of file a checkpoint is, decided by its bytes before anything reads it as one. Imports no torch."""

import zipfile
from pathlib import Path

from engines.errors import BadCheckpoint

LIST_MOST = 16_000_000  # bytes of a file's list of tensors; upstream's whole training state has 0.3 MB
RECORDS_MOST = 20_000


def is_pytorch(path: Path) -> bool:
    """A PyTorch file of tensors, else .safetensors. Raises BadCheckpoint for anything else."""
    with path.open("rb") as file:
        zipped = file.read(4) == b"PK\x03\x04"
    if zipped:
        _check(path)
    elif path.suffix != ".safetensors":
        raise BadCheckpoint(
            f"{path.name} is neither a PyTorch file of tensors nor .safetensors; pickles of other kinds are never opened"
        )
    return zipped


def _check(path: Path) -> None:
    """A PyTorch file is a zip whose records are stored as they are, one of them a list of the others."""
    try:
        with zipfile.ZipFile(path) as held:
            records = held.infolist()
    except zipfile.BadZipFile as error:
        raise BadCheckpoint(f"{path.name} is broken; fetch it again") from error
    names = [record.filename for record in records]
    if any("/code/" in name or name.endswith("constants.pkl") for name in names):
        raise BadCheckpoint(f"{path.name} is a TorchScript program; only files of tensors are taken")
    if any(record.compress_type != zipfile.ZIP_STORED or record.flag_bits & 1 for record in records):
        raise BadCheckpoint(
            f"{path.name} is a compressed or locked archive and no PyTorch file; save it again from F5-TTS"
        )
    lists = [record for record in records if record.filename.endswith(".pkl")]
    if len(lists) != 1 or len(set(names)) != len(names) or len(names) > RECORDS_MOST:
        raise BadCheckpoint(f"{path.name} is no PyTorch file of one checkpoint; save it again from F5-TTS")
    if lists[0].file_size > LIST_MOST or sum(record.file_size for record in records) > path.stat().st_size:
        raise BadCheckpoint(f"{path.name} claims to hold more than it does; it is broken, fetch it again")
