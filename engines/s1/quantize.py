"""Write a checkpoint with quantised weights: `python -m engines.s1.quantize SOURCE TARGET --kind int8`.

It needs less memory to load than the original, and the engine reads it like any other. int4 is packed for the GPU of this
machine.
"""

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

import torch

from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.registry import EngineOptions
from engines.runtime import quantization as quantizing
from engines.runtime.placement import place
from engines.runtime.quantization import Kind
from engines.s1.files import CODECS, NEEDED, QUANTIZED, locate
from engines.s1.model import read_network
from engines.s1.tokenizer import Tokenizer
from engines.timbre import VOICES
from engines.types import Progress

OTHERS = (*NEEDED, *CODECS, "codec.yaml", "generation_config.json", VOICES)


def pack(source: Checkpoint, target: Path, kind: Kind, device: EngineOptions) -> Iterator[Progress]:
    """Write the folder `target`, which must not exist. Raises BadCheckpoint, BadSetting."""
    at = place(device).device
    quantizing.check(kind, at, torch.bfloat16)
    files = yield from locate(source)
    if files.quantized != "none":
        raise BadCheckpoint(f"{files.name} is already stored as {files.quantized}; use the original checkpoint")
    yield Progress(0.5, "reading weights")
    network = read_network(files, Tokenizer.read(files.folder)).to(at, torch.bfloat16)
    quantizing.quantize([network.layers, network.fast_layers], kind)
    yield Progress(0.8, "writing")
    target.mkdir(parents=True)
    name = next(name for name, stored in QUANTIZED.items() if stored == kind)
    torch.save(network.state_dict(), target / name)
    for other in OTHERS:
        if (files.folder / other).is_file():
            shutil.copyfile(files.folder / other, target / other)
    yield Progress(1.0, f"wrote {target}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", help="embedded, hf://owner/repo or a folder")
    parser.add_argument("target", type=Path)
    parser.add_argument("--kind", choices=["int8", "int4"], default="int8")
    asked = parser.parse_args()
    for _ in pack(Checkpoint(asked.source), asked.target, asked.kind, EngineOptions()):
        pass


if __name__ == "__main__":
    main()
