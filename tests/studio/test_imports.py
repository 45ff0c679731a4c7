"""The walls of the house: who may import whom (design.md §3)."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A Ticket is what the manager's submit returns; it knows neither lane nor engine.
FOR_STUDIO = tuple(
    f"engines.{room}"
    for room in ("types", "errors", "registry", "manager", "ticket", "fairness", "audio", "text", "vetting")
)
FOR_ROOTS = (*FOR_STUDIO, "engines.base")  # a composition root hands the manager its Checkpoints
ROOTS = ("app.py", "studio/engines.py", "studio/champions/__main__.py")
HEAVY = ("torch", "torchaudio", "f5_tts", "vocos", "fish_speech", "torchao")
# What the whole lane stands on may not know an engine; only the engines' own folders may.
LIGHT = ("engines.registry", "engines.lane", "engines.manager", "engines.audio", "engines.text", "studio.speaking")


def modules(*folders: str) -> Iterator[Path]:
    for folder in folders:
        start = ROOT / folder
        yield from [start] if start.is_file() else sorted(start.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Absolute names a module imports anywhere in it; `from a import b` counts as a and as a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(path, node)
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return names


def _absolute(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = path.relative_to(ROOT).parent.parts
    above = package[: len(package) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)


def violations(folder: str, *forbidden: str) -> list[str]:
    found = []
    for path in modules(folder):
        wrong = sorted(name for name in imports(path) if within(name, *forbidden))
        found += [f"{path.relative_to(ROOT)} imports {name}" for name in wrong]
    return found


def engines_beyond(allowed: tuple[str, ...], *folders: str) -> list[str]:
    found = []
    for path in modules(*folders):
        inner = {name for name in imports(path) if within(name, "engines") and name != "engines"}
        wrong = sorted(name for name in inner if not within(name, *allowed))
        found += [f"{path.relative_to(ROOT)} imports {name}" for name in wrong]
    return found


def test_engines_know_neither_the_product_nor_the_page() -> None:
    assert violations("engines", "studio", "app", "gradio", "fastapi") == []


def test_the_product_never_imports_torch() -> None:
    assert violations("studio", *HEAVY) == []


def test_the_product_uses_only_the_open_rooms_of_engines() -> None:
    assert [wrong for wrong in engines_beyond(FOR_STUDIO, "studio") if not wrong.startswith(ROOTS)] == []


def test_the_composition_roots_use_only_the_open_rooms_of_engines() -> None:
    assert engines_beyond(FOR_ROOTS, *ROOTS) == []


def test_only_the_page_imports_gradio() -> None:
    outside = [path for path in modules("studio") if ROOT / "studio" / "ui" not in path.parents]
    wrong = [str(path.relative_to(ROOT)) for path in outside if any(within(name, "gradio") for name in imports(path))]
    assert wrong == []


def test_neither_engines_nor_the_product_import_training() -> None:
    assert [
        *violations("engines", "training"),
        *violations("studio", "training"),
        *violations("app.py", "training"),
    ] == []


def test_training_imports_engines_and_nothing_else_of_the_house() -> None:
    assert violations("training", "studio", "app", "bench", "tests", "gradio", "fastapi") == []


def test_assets_hold_no_python_module() -> None:
    assert list((ROOT / "assets").rglob("*.py")) == []


def test_no_module_of_the_product_imports_the_composition_root() -> None:
    assert violations("studio", "app") == []


def test_routes_and_pages_are_not_imported_by_services() -> None:
    services = [path for path in modules("studio") if path.relative_to(ROOT / "studio").parts[0] not in ("ui", "api")]
    wrong = [str(path) for path in services if any(within(name, "studio.ui", "studio.api") for name in imports(path))]
    assert wrong == []


@pytest.mark.parametrize("module", [*LIGHT, "app"])
def test_importing_costs_no_torch(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


def test_the_reader_of_imports_sees_relative_and_nested_ones(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    import torch.nn\n    from gradio import Blocks\n", "utf-8")
    assert {"torch.nn", "gradio", "gradio.Blocks"} <= imports(module)
