"""A setting is named by its engine alone: everything else reads the name from the engine's spec."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.registry import ENGINES, settings

ROOT = Path(__file__).parents[1]
SUFFIXES = (".py", ".js", ".ts", ".css")
OPENAI = ("transcriptions.py", "transcript_answers.py")  # fields of OpenAI's API, which no engine reads
HASHES = ("order_hash.py",)  # the names that version 0.3.0 hashed, whatever the engines have now


def sources() -> Iterator[Path]:
    """All code of the studio but the engines' own folders and the sampling that codec language models share."""
    own = [ROOT / "engines" / name for name in (*ENGINES, "originals", "codec_lm")]
    for folder in ("engines", "studio", "assets/ui"):
        for path in sorted((ROOT / folder).rglob("*")):
            elsewhere = path.name in OPENAI + HASHES or any(path.is_relative_to(one) for one in own)
            if path.suffix in SUFFIXES and not elsewhere:
                yield path


def named(name: str, code: str, suffix: str) -> list[str]:
    """Where code uses the name of a setting; a local variable or a word in a sentence is no use of it."""
    if suffix == ".py":
        return [place for node in ast.walk(ast.parse(code)) for place in _named_by(node, name)]
    return re.findall(rf"""["'`.#]{name}\b.*|\b{name}\??:.*""", code)


def _named_by(node: ast.AST, name: str) -> Iterator[str]:
    """As a string or selector, an attribute, an argument, a parameter or a field."""
    match node:
        case ast.Constant(value=str(text)):
            used = (
                re.match(rf"[.#]?{name}(?![\w-])", text) is not None
            )  # not a unit of CLDR, such as speed-meter-per-second
        case ast.Attribute(attr=used_name) | ast.keyword(arg=used_name) | ast.arg(arg=used_name):
            used = used_name == name
        case ast.ClassDef(body=body):
            fields = [each.target for each in body if isinstance(each, ast.AnnAssign)]
            used = any(isinstance(field, ast.Name) and field.id == name for field in fields)
        case _:
            used = False
    if used:
        yield f"line {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:60]}"


@pytest.mark.parametrize("name", settings())
def test_a_settings_name_stands_in_its_engines_folder_alone(name: str) -> None:
    found = {str(path.relative_to(ROOT)): named(name, path.read_text("utf-8"), path.suffix) for path in sources()}
    assert {path: places for path, places in found.items() if places} == {}


@pytest.mark.parametrize(
    ("suffix", "code"),
    [
        (".py", 'limits["speed"]'),
        (".py", 'css = "#speed input"'),
        (".py", "request.speed"),
        (".py", "class Request:\n    speed: float = 1.0"),
        (".py", "speak(speed=2)"),
        (".py", "def speak(text: str, *, speed: float = 1.0) -> None: ..."),
        (".py", "lambda speed: 2 * speed"),
        (".js", 'limits["speed"]'),
        (".js", "order.speed = 2;"),
        (".js", "speak({ speed: 2 })"),
        (".ts", "{ speed?: number }"),
        (".css", "#speed input {"),
    ],
)
def test_a_name_in_code_is_found(suffix: str, code: str) -> None:
    assert named("speed", code, suffix)


@pytest.mark.parametrize(
    ("suffix", "code"),
    [
        (".py", '"""Drives the engine, one at a time, between the steps of requests: see above."""'),
        (".py", "steps = len(rows)\nreturned = steps + 1"),
        (".py", "steps: int = len(rows)"),
        (".js", "/** Draws the steps of a request. */"),
        (".js", "let steps = rows.length;"),
        (".js", "return many ? steps : 1;"),
    ],
)
def test_a_local_variable_or_a_word_in_a_sentence_is_none(suffix: str, code: str) -> None:
    assert not named("steps", code, suffix)
