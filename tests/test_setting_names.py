"""A setting is named by its engine alone: everything else reads the name from the engine's spec."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.registry import ENGINES, settings

ROOT = Path(__file__).parents[1]
SUFFIXES = (".py", ".js", ".ts", ".css")


def sources() -> Iterator[Path]:
    """All code of the studio but the engines' own folders."""
    own = [ROOT / "engines" / name for name in ENGINES]
    for folder in ("engines", "studio", "assets/ui"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and not any(path.is_relative_to(one) for one in own):
                yield path


def named(name: str, code: str) -> list[str]:
    """Where it stands as a string, an attribute, a selector, a key or what is assigned; a word in a sentence is none."""
    return re.findall(rf"""["'.#]{name}\b.*|\b{name}\??\s*[:=](?!=).*""", code)


@pytest.mark.parametrize("name", settings())
def test_a_settings_name_stands_in_its_engines_folder_alone(name: str) -> None:
    found = {str(path.relative_to(ROOT)): named(name, path.read_text("utf-8")) for path in sources()}
    assert {path: places for path, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "code",
    [
        'limits["speed"]',
        "request.speed",
        "speed: float = 1.0",
        "speak(speed=2)",
        "#speed input {",
        "{ speed?: number }",
    ],
)
def test_a_name_in_code_is_found(code: str) -> None:
    assert named("speed", code)


def test_a_word_in_a_sentence_is_none() -> None:
    assert not named("steps", '"""Drives the engine, one at a time, between the steps of requests: see above."""')
