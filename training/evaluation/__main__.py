"""Measure a voice and write its model card: `python -m training.evaluation f5|s1 [--timing] [--checkpoint DIR] [--every N]`.

With `originals` as the engine, the synthesizers' own audio of the same lines is measured. This needs flite and espeak-ng. The
result is kept in `assets/voices/heldout/originals.json`, so that later runs need no synthesizer.
"""

import argparse
import logging
from pathlib import Path

from training.evaluation.originals import measure_originals
from training.evaluation.voice import measure_voice, time_voice
from training.references import checkpoint


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=("f5", "s1", "originals"))
    parser.add_argument("--checkpoint", type=Path, help="an exported folder; the shipped one if absent")
    parser.add_argument("--every", type=int, default=1, help="measure one line in so many; the card says how many")
    parser.add_argument("--timing", action="store_true", help="measure RTF and TTFA alone; on a machine that is idle")
    parser.add_argument("--keep", type=Path, help="write every take to this folder")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.engine == "originals":
        return measure_originals()
    folder = args.checkpoint or checkpoint(args.engine)
    if args.timing:
        return time_voice(args.engine, folder, args.every)
    return measure_voice(args.engine, folder, args.every, args.keep)


if __name__ == "__main__":
    main()
