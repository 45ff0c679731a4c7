"""The figures of a voice, written into its model card."""

from pathlib import Path

MARK = "<!-- figures -->"  # where the table goes in a voice's card.md
ROWS = (
    ("copy-synthesis WER, recordings and open lines / through the {part}", "copy_own_wer", "copy_wer"),
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
PARTS = {"f5": "vocoder", "s1": "codec"}


def write_card(engine: str, folder: Path, found: dict[str, float], lines: int) -> None:
    """README.md of a checkpoint: the voice's card.md with its figures."""
    table = [f"{lines} lines.", "", "| what | own audio | this voice |", "|---|---|---|"]
    for title, own, name in ROWS:
        first = f"{found[own]:.3f}" if own in found else ""
        table.append(f"| {title.format(part=PARTS[engine])} | {first} | {found[name]:.3f} |")
    size = sum(path.stat().st_size for path in folder.rglob("*.safetensors")) / 1e6
    table.append(f"| weights in the tree | | {size:.1f} MB |")
    card = (Path(__file__).parents[1] / engine / "card.md").read_text(encoding="utf-8")
    (folder / "README.md").write_text(card.replace(MARK, "\n".join(table)), encoding="utf-8")
