"""Every word of the glossary is used where it says."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| (.+?) \| .+? \| (.+?) \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)[
    1:
]
NAMES = [name for _, places in ROWS for name in re.findall(r"`(.+?)`", places)]


def test_words_stand_once_and_in_order() -> None:
    words = [word.lower() for word, _ in ROWS]
    assert len(words) > 30 and words == sorted(set(words))


@pytest.mark.parametrize("name", NAMES)
def test_what_the_glossary_names_is_there(name: str) -> None:
    if "/" in name:
        assert (ROOT / name).is_dir()
        return
    found = subprocess.run(["grep", "-rqw", name, "engines", "studio", "--include=*.py"], cwd=ROOT, check=False)
    assert found.returncode == 0
