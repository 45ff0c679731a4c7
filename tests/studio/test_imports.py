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
# The modules of engines/ that the product may import.
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
FOR_ROOTS = (*FOR_STUDIO, "engines.base")  # composition roots give the manager its checkpoints
STUDIO = ROOT / "studio"
# The folders of studio/, and the modules directly in it, from the lowest layer. Each imports lower layers only.
LAYERS = (
    ("languages",),
    (
        "errors",
        "estimates",
        "memory",
        "network_environment",
        "order",
        "progress",
        "sentences",
        "version",
        "voice_designs",
    ),
    ("command_output", "disk", "order_hash", "champion_format", "script.format", "ears.quality", "archive.shim"),
    ("idle_unload",),
    ("data", "ears", "jobs", "stores", "telemetry", "script.tables"),
    ("references", "history", "setting_values", "script.checks", "script.delivery"),
    ("archive", "dialogue", "hearing", "listening", "passages", "settings"),
    ("web", "checkpoints", "settings_reference", "listening.statistics"),
    ("champions", "engines"),
    ("named_voices", "speaking"),
    ("script",),
    ("listening.sessions",),
    ("studio",),
    ("composition", "api"),
    ("ui",),
    ("ui.components",),
    ("ui.pages",),
)
ROOTS = ("app.py", "studio/checkpoints.py", "studio/engines.py")
HEAVY = ("torch", "torchaudio", "f5_tts", "vocos", "fish_speech", "torchao")
SLOW = ("huggingface_hub", "vocos", "triton", "torchao")  # importing each takes half a second
# Modules that load no torch, directly or through other modules.
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
    """Return the absolute names that a module imports anywhere; `from a import b` counts as a and as a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = absolute(path, node)
            names |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return names


def absolute(path: Path, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module in a `from`, which may be relative."""
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


@pytest.mark.parametrize("shared", ["audio", "codec_lm", "runtime", "scheduling", "text"])
def test_what_engines_share_knows_no_engine(shared: str) -> None:
    own = [f"engines.{place.split('.')[1]}" for place in ENGINES.values()]
    assert violations(f"engines/{shared}", *own) == []


def test_only_original_engines_import_other_engines() -> None:
    names = {place.split(".")[1] for place in ENGINES.values()}
    for name in names - {"originals"}:
        others = [f"engines.{other}" for other in names if other != name]
        assert violations(f"engines/{name}", *others) == []


def test_the_product_never_imports_torch() -> None:
    assert violations("studio", *HEAVY) == []


def test_the_product_uses_only_the_open_rooms_of_engines() -> None:
    assert [wrong for wrong in engines_beyond(FOR_STUDIO, "studio") if not wrong.startswith(ROOTS)] == []


def test_the_composition_roots_use_only_the_open_rooms_of_engines() -> None:
    assert engines_beyond(FOR_ROOTS, *ROOTS) == []


def test_each_folder_of_the_product_is_in_one_layer() -> None:
    layered = [folder for layer in LAYERS for folder in layer]
    assert sorted(layered) == sorted({_folder(path) for path in _layered()})


def test_folders_of_the_product_import_lower_layers_only() -> None:
    level = {folder: at for at, layer in enumerate(LAYERS) for folder in layer}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in _layered()
        for name in sorted(imports(path))
        if (used := _folder_of(name)) not in ("", _folder(path)) and level[used] >= level[_folder(path)]
    ]
    assert wrong == []


def _layered() -> Iterator[Path]:
    """Yield the modules of the product except composition roots, which may import everything."""
    for path in modules("studio"):
        if path.name != "__main__.py" and path != STUDIO / "__init__.py":
            yield path


def _folder(path: Path) -> str:
    """Return the folder of a module below studio/, as in `LAYERS`; the name of a module directly in studio/."""
    parts = path.relative_to(STUDIO).with_suffix("").parts
    return ".".join(parts[:-1]) or parts[0]


def _folder_of(name: str) -> str:
    """Return the folder of the module that an imported name belongs to; "" outside studio/."""
    parts = name.split(".")
    if parts[0] != "studio":
        return ""
    while len(parts) > 1:
        path = ROOT.joinpath(*parts)
        if path.is_dir():
            return _folder(path / "__init__.py")
        if path.with_suffix(".py").is_file():
            return _folder(path.with_suffix(".py"))
        parts.pop()
    return ""


def test_champions_are_used_through_their_one_facade() -> None:
    """Other folders may import only the facade, data, errors and the factory."""
    behind = ("archives", "attachments", "blobs", "recovery", "rows", "voices", "saved.VersionReader")
    hidden = [f"studio.champions.{name}" for name in behind]
    hidden += [
        f"studio.champions.{name}"
        for name in ("creation.Creation", "serializers.ChampionSerializer", "library.Library")
    ]
    data = ("studio.champions.attachments.Attachment",)  # a result
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
    """Return the imported modules and the packages that contain them, without the packages of the importing module."""
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
    names = imports(STUDIO / "settings.py") | imports(STUDIO / "setting_values.py")
    used = {name for name in names if within(name, "studio", "engines")}
    allowed = ("studio.stores.places", "studio.setting_values", "studio.languages", "engines.registry")
    assert {name for name in used if not within(name, *allowed)} == set()


@pytest.mark.parametrize("module", [*LIGHT, "app"])
def test_importing_costs_no_torch(module: str) -> None:
    assert imported(module, HEAVY) == "[]"


def test_engines_start_without_what_few_of_them_need() -> None:
    assert imported("engines.f5.engine, engines.s1.engine", SLOW) == "[]"


def imported(module: str, looked_for: tuple[str, ...]) -> str:
    """Return which of these modules are loaded with a module, as a list in Python's notation."""
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
        if isinstance(node, ast.Attribute) and node.attr in primitives and path != STUDIO / "disk" / "files.py"
    ]
    assert wrong == []


def test_what_all_scripts_of_the_page_use_knows_none_of_them() -> None:
    core = ROOT / "assets" / "ui" / "js" / "core"
    named = {
        path.name: re.findall(r'(?:from|import)[ (]"(.+?)"', path.read_text("utf-8")) for path in core.glob("*.js")
    }
    assert {name for names in named.values() for name in names}  # the pattern finds imports
    assert {
        script: outside for script, names in named.items() if (outside := [n for n in names if n[:2] != "./"])
    } == {}


def test_the_reader_of_imports_sees_relative_and_nested_ones(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("def f():\n    import torch.nn\n    from gradio import Blocks\n", "utf-8")
    assert {"torch.nn", "gradio", "gradio.Blocks"} <= imports(module)
