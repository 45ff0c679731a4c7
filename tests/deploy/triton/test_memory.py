"""Ten champions need hardly more memory than one: they share one base model, and Triton adds little for each."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from bench.s1_pair import f5_checkpoint
from tests.deploy.triton.champions import exported
from tests.deploy.triton.sagemaker import Platform, wav_in
from tests.deploy.triton.serving import on_linux, served
from tests.studio.champions.hearing import understood

LINE = "Our base is under attack."
SETTINGS = [f'{{"model": "{model}", "seed": 2}}' for model in ("f5", "s1")]
ENGINES_MOST = 1.1  # of the studio's process with one champion
ALL_MOST = 1.1  # of all processes
STUB_MB = 22.0  # of Triton's process for a champion: Python, numpy, asyncio and the shim
PROGRAMS = {"app.py": "studio", "backend_stub": "stubs", "bin/tritonserver": "triton"}

Held = dict[str, float]  # in MB, by program

pytestmark = [on_linux, pytest.mark.long]


def test_ten_archives_load_and_speak_in_hardly_more_memory_than_one(tmp_path: Path) -> None:
    def hear(wav: bytes) -> None:
        assert understood(wav) == LINE

    one, ten = loaded(tmp_path, SETTINGS, hear)
    assert ten["studio"] + ten["files"] <= ENGINES_MOST * (one["studio"] + one["files"])
    assert ten["stubs"] <= 10 * STUB_MB


def test_with_full_size_f5_ten_archives_take_at_most_a_tenth_more_memory(tmp_path: Path) -> None:
    checkpoint = f5_checkpoint(tmp_path / "full", full=True)
    quick = '{"model": "f5", "steps": 2}'  # noise, because of random weights
    one, ten = loaded(tmp_path, [quick, SETTINGS[1]], lambda _: None, STUDIO_F5_CHECKPOINT=checkpoint)
    assert sum(ten.values()) <= ALL_MOST * sum(one.values())


def loaded(folder: Path, settings: Sequence[str], hear: Callable[[bytes], None], **served_with: object) -> list[Held]:
    """Return the memory with one champion and with ten, after equally many lines."""
    names = [path.name for path in exported(folder / "exported", *(f"champion-{number}" for number in range(10)))]
    with served(folder / "served", SAGEMAKER_MULTI_MODEL="true", **served_with) as stack:
        platform = Platform(stack)
        for name in names:
            platform.unpack(folder / "exported" / name)
        held = []
        for group in (names[:1], names[1:]):
            for name in group:
                assert platform.load(name).status_code == 200
            for name in 10 // len(group) * group:
                for chosen in settings:
                    hear(wav_in(platform.say_in_bytes(name, text=LINE, settings=chosen)))
            held.append(memory_mb(stack.supervisor))
    print(*held, sum(held[1].values()) / sum(held[0].values()), sep="\n")
    return held


def memory_mb(root: psutil.Process) -> Held:
    """Return the memory of a process and its children: private memory by program, and mapped files, each once."""
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
