"""The model card of the embedded F5 checkpoint."""

from pathlib import Path

ABOUT = """# Embedded F5 voice

A small F5-TTS (DiT, 12.8 M parameters; upstream's architecture and file form) and its Vocos vocoder, trained from scratch on
synthetic speech. It is a stand-in for the full checkpoint where there is no GPU and no network.

- **Files**: `model.safetensors` (`ema_model.transformer.*`; big matrices int8 with a float16 `.scale` per output channel),
  `vocab.txt` (one character a line, line i is index i), `config.yaml`, `vocos/` in the vocos package's form.
- **Text**: 35 characters: space, a-z and `' , . ? ! - : ;`; lower case, numbers as words.

## Data

| source | licence |
|---|---|
| WordNet 3.0 glosses and examples (Debian `wordnet-base`) | WordNet licence (permissive) |
| The Devil's Dictionary, Ambrose Bierce, 1911 (Debian `dict-devil`) | public domain |
| common words of SCOWL in no order (Debian `scowl`) | permissive |
| everyday talk, game lines, numbers, digit strings, short answers | this project's templates |
| flite 2.2 voices slt, rms, awb, kal16: three of four speakers | Carnegie Mellon, BSD-like |
| espeak-ng 1.51, English voices and variants | GPL-3.0 program; its sound output is free to use |

Every speaker has random pitch, pace, formants, brightness and noise, and says about 22 lines, each at a pace of its own.
Dictionary lines in uncommon words are left out.
Held-out lines and speakers (`assets/voices/corpus/heldout.json`) never enter training.

## Recipe

Flow matching with 60-100 % of the frames masked, half of them suffixes; half of the joined items are cut at the seam of two
utterances of one speaker, as reference and line are in use. Muon on the block matrices, AdamW on the rest, bfloat16, an
average of the weights (0.999), linear decay at the end. Then distilled: one pass without guidance for the velocity that two
passes gave with it, averaged over two half steps of the seven-step grid.
The vocoder learns log-mel and multi-resolution spectra.
`python -m assets.voices.corpus`, `python -m assets.voices.f5.train`, `python -m assets.voices.f5.export`,
`python -m assets.voices.f5.evaluate`.

## Figures
"""
LIMITS = """
## Limits

English only, and clearly synthetic. Likeness is best for voices like the synthesizers'; a human reference gives a voice of
its kind rather than its copy. Names and rare words are read by their letters.
Recogniser: pocketsphinx 5.1.1 (weak on espeak-ng's voices); likeness: Resemblyzer, ten references to choose from.
"""
ROWS = (
    ("copy-synthesis WER, recordings / through the vocoder", "copy_own_wer", "copy_wer"),
    ("open-vocabulary WER, synthesizers / this voice", "own_open_wer", "open_wer"),
    ("the same, flite-like references", "own_open_wer_flite", "open_wer_flite"),
    ("six-digit strings WER, synthesizers / this voice", "own_digits_wer", "digits_wer"),
    ("closed-set sentences right, synthesizers / this voice", "own_closed_right", "closed_right"),
    ("closed-set sentences right from a human reference", None, "human_right"),
    ("own reference nearest", None, "own_nearest"),
    ("first and last word there, quiet end", "own_whole", "whole"),
    ("RTF on 2 CPU cores", None, "rtf"),
    ("TTFA on 2 CPU cores, median, s", None, "ttfa_s"),
)


def write_card(folder: Path, found: dict[str, float], lines: int) -> None:
    table = [f"{lines} lines.", "", "| what | own audio | this voice |", "|---|---|---|"]
    for title, own, name in ROWS:
        first = f"{found[own]:.3f}" if own in found else ""
        table.append(f"| {title} | {first} | {found[name]:.3f} |")
    size = sum(path.stat().st_size for path in folder.rglob("*.safetensors")) / 1e6
    table.append(f"| weights in the tree | | {size:.1f} MB |")
    (folder / "README.md").write_text(ABOUT + "\n" + "\n".join(table) + "\n" + LIMITS, encoding="utf-8")
