"""No two classes of engines/ and studio/ have one name, no modules import each other in a circle, and names are plain words."""

import ast
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from io import StringIO
from pathlib import Path

from engines.registry import ENGINES
from tests.studio.test_imports import ROOT, absolute, modules

FOLDERS = ("engines", "studio")
NO_NAMES = {"told", "saying", "shelf", "beside", "sounding"}  # words of prose that name nothing


def classes(path: Path) -> Iterator[str]:
    """Names of the classes that a module defines at its top."""
    tree = ast.parse(path.read_text("utf-8"), str(path))
    yield from (node.name for node in tree.body if isinstance(node, ast.ClassDef))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph(*folders: str) -> dict[str, set[str]]:
    """Which modules each module imports, wherever in it: at its top, in a function, or for types alone."""
    paths = {module_name(path): path for path in modules(*folders)}
    return {name: set(imported(path, paths.keys())) - {name} for name, path in paths.items()}


def imported(path: Path, known: Collection[str]) -> Iterator[str]:
    """Of the known modules; `from a import b` is a.b where that is a module, else a."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = absolute(path, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield from [inner] if inner in known else [base] if base in known else []


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Modules of which each imports the next and the last one the first; empty where there are none."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return path[path.index(name) :]
        if name in done:
            return []
        for imported in sorted(graph.get(name, ())):
            if found := walk(imported, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := walk(name, []))), [])


def test_no_two_classes_share_a_name() -> None:
    found = defaultdict(list)
    for path in modules(*FOLDERS):
        for name in classes(path):
            found[name].append(module_name(path))
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycle(import_graph(*FOLDERS)) == []


def test_three_modules_that_import_each_other_are_a_circle_and_a_diamond_is_not() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c"]
    assert cycle({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}) == []


def test_the_studio_names_engines_only_in_the_example_of_a_request() -> None:
    named = {
        path.relative_to(ROOT).as_posix()
        for path in modules("studio")
        for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path)))
        if isinstance(node, ast.Constant) and node.value in ENGINES
    }
    assert named == {"studio/api/speech.py"}


def test_the_first_engine_stays_the_one_of_stored_orders_and_champions_without_an_engine() -> None:
    assert next(iter(ENGINES)) == "f5"


def test_names_are_words_of_the_field() -> None:
    listed = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    assert len(paths) > 1_000
    assert [(path.name, word) for path in paths for word in sorted(names_of(path.read_text("utf-8"), NO_NAMES))] == []


def names_of(source: str, words: set[str]) -> set[str]:
    """Return the words that are names in a source; a text without them is not parsed."""
    if not any(word in source for word in words):
        return set()
    tokens = tokenize.generate_tokens(StringIO(source).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME} & words
