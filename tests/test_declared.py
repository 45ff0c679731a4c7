"""What the product imports is declared, so that no library may take it away by needing something else."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = {"app", "engines", "studio"}
BROUGHT = {
    "cuda": "torch brings it, as cuda-bindings, on Linux",
    "triton": "torch brings it on Linux with the version it was built for",
    "triton_python_backend_utils": "the Triton server that the shim runs in",
    "mypy_boto3_s3": "types alone",
}


def imported() -> set[str]:
    paths = [ROOT / "app.py", *(ROOT / "engines").rglob("*.py"), *(ROOT / "studio").rglob("*.py")]
    names: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - OURS - set(sys.stdlib_module_names) - BROUGHT.keys()


def canonical(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def test_every_library_the_product_imports_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *optional["likeness"],
        *optional["judges"],
        *optional["traces"],
        *optional["s1-original"],
    ]
    declared = {canonical(re.split(r"[=<>~! ;\[]", line)[0]) for line in lines}
    distributions = packages_distributions()
    missing = {name for name in imported() if not set(map(canonical, distributions.get(name, []))) & declared}
    assert missing == set()


def test_make_installs_into_the_environment_of_the_project_also_if_another_environment_is_active() -> None:
    commands = [line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if "uv pip install" in line]
    assert len(commands) >= 4 and all("--python " in command for command in commands)
