"""Make the corpus: `python -m training.corpus --out DIR --hours 80 --seed 1 --workers 16`."""

import argparse
import logging
from pathlib import Path

from training.corpus.sentences import build, read_sentences, write_sentences
from training.corpus.speakers import warm
from training.corpus.synthesis import CorpusOptions, write_corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder for audio.i16, index.npz and texts.json")
    parser.add_argument("--hours", type=float, default=80.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop early after this many seconds of work")
    parser.add_argument("--sentences", type=Path, help="a gzipped list made by --write-sentences")
    parser.add_argument("--write-sentences", type=Path, help="only build the list of sentences and write it here")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    if args.write_sentences:
        write_sentences(build(args.seed), args.write_sentences)
        return
    if args.out is None:
        parser.error("give the corpus a folder with --out")
    sentences = read_sentences(args.sentences) if args.sentences else build(args.seed)
    warm()
    write_corpus(
        CorpusOptions(out=args.out, hours=args.hours, seed=args.seed, workers=args.workers, seconds=args.seconds),
        sentences,
    )


if __name__ == "__main__":
    main()
