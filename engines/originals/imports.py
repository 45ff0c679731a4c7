"""Import single modules of upstream's packages, without the dependencies of other modules."""

import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from torch import nn


def stand_in(names: Sequence[str]) -> None:
    """Create empty modules for those `names` that are not installed, parents first."""
    for name in names:
        if name not in sys.modules and _missing(name):
            _stub(name)


def open_packages(*names: str) -> None:
    """Register packages without running their `__init__`, parents first: it would import training and serving code.

    Raises ModuleNotFoundError if a package is not installed.
    """
    for name in names:
        if name not in sys.modules:
            _open_package(name)


def _missing(name: str) -> bool:
    parent = name.rpartition(".")[0]
    if parent in sys.modules and not hasattr(sys.modules[parent], "__path__"):
        return True
    return importlib.util.find_spec(name) is None


def _stub(name: str) -> None:
    module = ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(BaseModel=nn.Module, __getattr__=_attribute)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)


def _attribute(name: str) -> type:
    """Return the object that `from absent import name` gets."""
    if name.startswith("__"):
        raise AttributeError(name)
    return object


def _open_package(name: str) -> None:
    path = name.replace(".", "/")
    found = [str(Path(root) / path) for root in sys.path if (Path(root) / path).is_dir()]
    if not found:
        raise ModuleNotFoundError(f"{name} is not installed; run `make original-engines`")
    module = ModuleType(name)
    module.__path__ = found
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    sys.modules[name] = module
