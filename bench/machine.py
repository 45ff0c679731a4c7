"""On what, and of which program, figures were measured: stands at the head of every result."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]


def machine(commit: str | None = None) -> Mapping[str, str]:
    """`commit` where git cannot tell; a tree that differs from its commit says so."""
    return {
        "commit": commit or _described(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
    }


def _described() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
