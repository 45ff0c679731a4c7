"""Time F5-TTS's flow at full size on random weights: `python -m bench.f5 --out f5.json`.

Weights do not change the time of a step, so nothing is downloaded. f5-tts's network and sampler run with the same weights in
the same process, and nothing is timed unless both compute equal mels. `--tiny` tries everything on the CPU.
"""

import argparse
import json
import logging
from pathlib import Path

import torch

from bench import checkpoints
from bench.f5_network import Given, network_figures
from bench.machine import machine

log = logging.getLogger("bench.f5")

ARCH = {"dim": 1024, "depth": 22, "heads": 16, "ff_mult": 2, "text_dim": 512, "conv_layers": 4}


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("f5.json"))
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    parser.add_argument("--tiny", action="store_true", help="a small network and short takes, on the CPU")
    options = parser.parse_args()
    figures: dict[str, object] = dict(machine(options.commit))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    device = torch.device("cpu" if options.tiny else "cuda")
    arch = {key: checkpoints.ARCH[key] for key in ARCH} if options.tiny else ARCH
    figures["network"] = network_figures(Given.draw(arch, device, 20 if options.tiny else 1))
    options.out.write_text(json.dumps(figures, indent=1))
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
