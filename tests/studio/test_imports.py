"""Who may import whom: `app -> studio/ui, studio/api -> studio -> engines`, and torch beneath the engines alone.

`docs/architecture.md` lists the rules.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from engines.registry import ENGINES

ROOT = Path(__file__).parents[2]
# A Ticket is what the manager's submit returns; it knows neither scheduler nor engine.
FOR_STUDIO = tuple(
    f"engines.{room}"
    for room in (
        "types",
        "errors",
        "registry",
        "scheduling.manager",
        "scheduling.ticket",
        "scheduling.fairness",
        "audio",
        "text",
        "f5.vetting.process",
    )
)
FOR_ROOTS = (*FOR_STUDIO, "engines.base")  # a composition root hands the manager its Checkpoints
ROOTS = ("app.py", "studio/checkpoints.py", "studio/engines.py")
HEAVY = ("torch", "torchaudio", "f5_tts", "vocos", "fish_speech", "torchao")
SLOW = ("huggingface_hub", "vocos", "triton", "torchao")  # each half a second of a start
# What the scheduler stands on may not know an engine; only the engines' own folders may.
LIGHT = (
    *(place.partition(":")[0] for place in ENGINES.values()),
    "engines.scheduling.scheduler",
    "engines.scheduling.manager",
    "engines.audio",
    "engines.text",
    "studio.speaking",
)


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
            base = absolute(path, node)
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return names


def absolute(path: Path, node: ast.ImportFrom) -> str:
    """The module that a `from` names, however it names it."""
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


def test_archives_stores_and_jobs_know_what_a_champion_is_and_no_more_of_champions() -> None:
    known = ("studio.champions.champion", "studio.champions.members")
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules("studio/archive", "studio/stores", "studio/jobs.py")
        for name in sorted(imports(path))
        if within(name, "studio.champions") and name != "studio.champions" and not within(name, *known)
    ]
    assert wrong == []


def test_champions_are_used_through_their_one_facade() -> None:
    """What stands behind it is imported by its own folder alone; data, errors and the composition are open to all."""
    behind = ("archives", "attachments", "blobs", "members", "recovery", "rows", "voices")
    hidden = [f"studio.champions.{name}" for name in behind]
    hidden += [
        f"studio.champions.{name}"
        for name in ("creation.Creation", "serializers.ChampionSerializer", "library.Library")
    ]
    data = ("studio.champions.attachments.Attachment", "studio.champions.members")  # results, names of files
    outside = [path for path in modules("studio", "app.py") if ROOT / "studio" / "champions" not in path.parents]
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in outside
        for name in sorted(imports(path))
        if within(name, *hidden) and not within(name, *data) and name != "studio.champions.attachments"
    ]
    assert wrong == []


def test_no_module_imports_itself_through_others() -> None:
    graph = {_module(path): imports(path) for path in modules("studio", "app.py")}
    edges = {name: _within_graph(name, found, graph) for name, found in graph.items()}
    while leaves := {name for name, found in edges.items() if not found}:
        edges = {name: found - leaves for name, found in edges.items() if name not in leaves}
    assert edges == {}


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _within_graph(name: str, found: set[str], graph: Mapping[str, object]) -> set[str]:
    """The modules that are imported, packages above them included, but for those a module is in itself."""
    above = {".".join(one.split(".")[:depth]) for one in found for depth in range(1, one.count(".") + 2)}
    return {one for one in above if one in graph and one != name and not name.startswith(f"{one}.")}


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


def test_nobody_imports_deploy_and_it_uses_the_open_rooms_of_engines_alone() -> None:
    nobody = [wrong for folder in ("app.py", "engines", "studio") for wrong in violations(folder, "deploy")]
    assert [*nobody, *violations("deploy", "tests"), *engines_beyond(FOR_STUDIO, "deploy/sagemaker")] == []


def test_assets_hold_no_python_module() -> None:
    assert list((ROOT / "assets").rglob("*.py")) == []


def test_no_module_of_the_product_imports_the_composition_root() -> None:
    assert violations("studio", "app") == []


def test_the_settings_know_no_service() -> None:
    known = {name for name in imports(ROOT / "studio" / "settings.py") if within(name, "studio", "engines")}
    assert {name for name in known if not within(name, "studio.places")} == set()


def test_routes_and_pages_are_not_imported_by_services() -> None:
    services = [path for path in modules("studio") if path.relative_to(ROOT / "studio").parts[0] not in ("ui", "api")]
    wrong = [str(path) for path in services if any(within(name, "studio.ui", "studio.api") for name in imports(path))]
    assert wrong == []


@pytest.mark.parametrize("module", [*LIGHT, "app"])
def test_importing_costs_no_torch(module: str) -> None:
    assert imported(module, HEAVY) == "[]"


def test_engines_start_without_what_few_of_them_need() -> None:
    assert imported("engines.f5.engine, engines.s1.engine", SLOW) == "[]"


def imported(module: str, looked_for: tuple[str, ...]) -> str:
    """Those that come with a module, as Python writes a list."""
    code = f"import sys, {module}; print([name for name in {looked_for!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_files_are_flushed_linked_and_locked_in_one_module_of_the_product() -> None:
    primitives = {"fsync", "link", "hardlink_to", "symlink_to", "chmod", "flock", "lockf"}
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.attr}"
        for path in modules("studio")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in primitives and path != ROOT / "studio" / "files.py"
    ]
    assert wrong == []


def test_what_all_scripts_of_the_page_use_knows_none_of_them() -> None:
    core = ROOT / "assets" / "ui" / "js" / "core"
    named = {
        path.name: re.findall(r'(?:from|import)[ (]"(.+?)"', path.read_text("utf-8")) for path in core.glob("*.js")
    }
    assert {name for names in named.values() for name in names}  # the reader sees some
    assert {
        script: outside for script, names in named.items() if (outside := [n for n in names if n[:2] != "./"])
    } == {}


def test_the_reader_of_imports_sees_relative_and_nested_ones(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    import torch.nn\n    from gradio import Blocks\n", "utf-8")
    assert {"torch.nn", "gradio", "gradio.Blocks"} <= imports(module)
