"""Write the embedded English Whisper model in the format of a multilingual model.

The vocabulary gets one more token before the special tokens.

The model hears English, whichever language the prompt names. A test can therefore use English speech for another language.
"""

import importlib.util
import json
import shutil
import struct
from pathlib import Path
from typing import Any

from studio.ears.weights import MULTILINGUAL, PACKAGE

EMBEDDINGS = b"decoder/embeddings/weight\0"
TENSOR = "<BIIBI"  # of a matrix: the number of dimensions, rows, columns, the type, the size in bytes
FIRST = 50_256  # the first special token of an English model
ADDED = ""  # by this token, CTranslate2 recognises multilingual models


def write(folder: Path) -> Path:
    """Write the model to a new folder."""
    spec = importlib.util.find_spec(PACKAGE)
    assert spec and spec.submodule_search_locations
    shutil.copytree(Path(spec.submodule_search_locations[0]) / "model", folder)
    tokens = (folder / "vocabulary.txt").read_text("utf-8").split("\n")
    (folder / "vocabulary.txt").write_text("\n".join([*tokens[:FIRST], ADDED, *tokens[FIRST:]]), "utf-8")
    (folder / "model.bin").write_bytes(_weights((folder / "model.bin").read_bytes()))
    for name, change in (("tokenizer.json", _tokenizer), ("config.json", _config)):
        content = json.loads((folder / name).read_text("utf-8"))
        change(content)
        (folder / name).write_text(json.dumps(content), "utf-8")
    return folder


def _weights(weights: bytes) -> bytes:
    """Return the weights with one more row of embeddings."""
    place = weights.index(EMBEDDINGS) + len(EMBEDDINGS)
    dimensions, rows, columns, kind, size = struct.unpack_from(TENSOR, weights, place)
    assert (dimensions, rows + 1) == (2, MULTILINGUAL)
    start, row = place + struct.calcsize(TENSOR), size // rows
    header = struct.pack(TENSOR, dimensions, rows + 1, columns, kind, size + row)
    added = start + FIRST * row
    return weights[:place] + header + weights[start:added] + bytes(row) + weights[added:]


def _tokenizer(content: dict[str, Any]) -> None:
    for token in content["added_tokens"]:
        token["id"] += token["id"] >= FIRST
    vocabulary = content["model"]["vocab"]
    vocabulary.update({token: id + 1 for token, id in vocabulary.items() if id >= FIRST})
    vocabulary[ADDED] = FIRST


def _config(content: dict[str, Any]) -> None:
    for name in ("suppress_ids", "suppress_ids_begin"):
        content[name] = [id + (id >= FIRST) for id in content[name]]
