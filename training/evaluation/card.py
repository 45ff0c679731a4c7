"""Write the figures of a voice into its model card."""

from pathlib import Path

from training.evaluation.figures import Figure
from training.references import VOICES

MARK = "<!-- figures -->"  # the table replaces this mark in a voice's card.md
ROWS = (
    ("copy-synthesis WER, recordings in the tree / through the {part}", "copy_tree_wer"),
    ("copy-synthesis WER, these and the open lines as the synthesizers say them", "copy_wer"),
    ("open-vocabulary WER, synthesizers / this voice", "open_wer"),
    ("six-digit strings WER, synthesizers / this voice", "digits_wer"),
    ("closed-set sentences right, synthesizers / this voice", "closed_right"),
    ("closed-set sentences right from a human reference", "human_right"),
    ("own reference nearest", "own_nearest"),
    ("first and last word there, quiet end", "whole"),
    ("RTF on 2 CPU cores", "rtf"),
    ("TTFA on 2 CPU cores, median, s", "ttfa_s"),
)
PARTS = {"f5": "vocoder", "s1": "codec"}


def write_card(engine: str, folder: Path, found: dict[str, Figure]) -> None:
    """Write README.md of a checkpoint: the voice's card.md with a table of its figures."""
    table = ["| what | own audio | this voice | measured on |", "|---|---|---|---|"]
    for title, name in ROWS:
        if name in found:
            figure = found[name]
            own = "" if figure.own is None else f"{figure.own:.3f}"
            table.append(f"| {title.format(part=PARTS[engine])} | {own} | {figure.voice:.3f} | {figure.on} |")
    size = sum(path.stat().st_size for path in folder.rglob("*.safetensors")) / 1e6
    table.append(f"| weights in the tree | | {size:.1f} MB | |")
    card = (VOICES / engine / "card.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(card.replace(MARK, "\n".join(table)), encoding="utf-8")
