"""The model card: a table of champions with licences and samples, between two markers.

Text outside the markers is preserved.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from huggingface_hub import ModelCard

from studio.progress import format_bytes
from studio.stores.entry import archive_name

BEGIN = "<!-- champions: written anew with every push; write around it -->"
END = "<!-- /champions -->"
OURS = re.compile(rf"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
TAGS = ("champion-voice-studio", "voice-cloning")
LISTED = {  # licences that the Hub lists under these names
    *("apache-2.0", "mit", "openrail", "cc0-1.0"),
    *("cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0"),
}


@dataclass(frozen=True, slots=True)
class CardRow:
    """A champion in the table."""

    id: str
    bytes: int
    licence: str
    sample_url: str  # empty without a sample


def updated_card(before: str, repo: str, rows: Sequence[CardRow]) -> str:
    """Return the card with these champions. `before` is the present card, or empty."""
    fresh = f"---\ntags: []\n---\n\n# {repo.split('/')[-1]}\n\n{BEGIN}{END}\n"
    card = ModelCard(before or fresh, ignore_metadata_errors=True)
    _set_metadata(card, rows)
    ours = f"{BEGIN}\n\n{_table(rows)}\n\n{END}"
    text = card.text
    card.text = OURS.sub(lambda _: ours, text, count=1) if OURS.search(text) else f"{text.rstrip()}\n\n{ours}\n"
    return str(card)


def _set_metadata(card: ModelCard, rows: Sequence[CardRow]) -> None:
    licences = sorted({row.licence for row in rows if row.licence})
    if licences:
        only = licences[0].lower()
        known = len(licences) == 1 and only in LISTED
        card.data["license"] = only if known else "other"
        card.data["license_name"] = None if known else "see-each-champion"
    card.data["pipeline_tag"] = "text-to-speech"
    card.data["tags"] = sorted({*(card.data.get("tags") or ()), *TAGS})


def _table(rows: Sequence[CardRow]) -> str:
    lines = [
        "Voices saved with Champion Voice Studio. NVIDIA Triton can load each archive without changes.",
        "",
        "| champion | archive | licence of its weights | sample |",
        "|---|---|---|---|",
    ]
    for row in rows:
        name = archive_name(row.id)
        sound = f'<audio controls src="{row.sample_url}"></audio>' if row.sample_url else ""
        lines.append(
            f"| {row.id} | [{name}]({name}), {format_bytes(row.bytes)} | {row.licence or 'not stated'} | {sound} |"
        )
    return "\n".join(lines)
