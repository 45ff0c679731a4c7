"""Ten champions need hardly more memory than one: there is one base model, and what Triton adds for each is small."""

from collections import defaultdict
from pathlib import Path

import psutil
import pytest

from tests.deploy.triton.champions import exported
from tests.deploy.triton.sagemaker import Platform, wav_in
from tests.deploy.triton.serving import on_linux, served
from tests.studio.champions.hearing import understood

LINE = "Our base is under attack."
SETTINGS = [f'{{"model": "{model}", "seed": 2}}' for model in ("f5", "s1")]
ENGINES_MOST = 1.1  # of what the studio's own process holds with one champion
STUB_MB = (
    22.0  # of Triton's process for a champion: Python, numpy, asyncio and the shim, whose size no champion changes
)
PROGRAMS = {"app.py": "studio", "backend_stub": "stubs", "bin/tritonserver": "triton"}

pytestmark = [on_linux, pytest.mark.long]


def test_ten_archives_load_and_speak_in_hardly_more_memory_than_one(tmp_path: Path) -> None:
    names = [path.name for path in exported(tmp_path / "exported", *(f"champion-{number}" for number in range(10)))]
    with served(tmp_path / "served", SAGEMAKER_MULTI_MODEL="true") as stack:
        platform = Platform(stack)
        for name in names:
            platform.unpack(tmp_path / "exported" / name)
        held = []
        for group in (names[:1], names[1:]):
            for name in group:
                assert platform.load(name).status_code == 200
            for name in 10 // len(group) * group:  # as many lines before each measurement
                for settings in SETTINGS:
                    said = platform.say_in_bytes(name, text=LINE, settings=settings)
                    assert understood(wav_in(said)) == LINE
            held.append(memory_mb(stack.supervisor))
    one, ten = held
    print(one, ten, sum(ten.values()) / sum(one.values()), sep="\n")
    assert ten["studio"] + ten["files"] <= ENGINES_MOST * (one["studio"] + one["files"])
    assert ten["stubs"] <= 10 * STUB_MB


def memory_mb(root: psutil.Process) -> dict[str, float]:
    """What a process and its children hold: by program what is theirs alone, and the files that are mapped, each once."""
    files: dict[str, int] = defaultdict(int)
    own: dict[str, int] = defaultdict(int)
    for process in (root, *root.children(recursive=True)):
        of_process: dict[str, int] = defaultdict(int)
        for part in process.memory_maps(grouped=False):
            own[program(process)] += part.anonymous
            of_process[part.path] += part.rss - part.anonymous
        for path, size in of_process.items():
            files[path] = max(files[path], size)
    return {name: size / 1e6 for name, size in {**own, "files": sum(files.values())}.items()}


def program(process: psutil.Process) -> str:
    command = " ".join(process.cmdline())
    return next((name for word, name in PROGRAMS.items() if word in command), "others")
