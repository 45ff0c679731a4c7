"""Every term of the glossary exists in the code."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| (.+?) \| .+? \| (.+?) \|$", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)[
    1:
]
NAMES = [name for _, places in ROWS for name in re.findall(r"`(.+?)`", places)]


def test_terms_are_unique_and_in_order() -> None:
    terms = [term.lower() for term, _ in ROWS]
    assert len(terms) > 30 and terms == sorted(set(terms))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_the_glossary_exists(name: str) -> None:
    if "/" in name:
        assert (ROOT / name).is_dir()
        return
    found = subprocess.run(["grep", "-rqw", name, "engines", "studio", "--include=*.py"], cwd=ROOT, check=False)
    assert found.returncode == 0
