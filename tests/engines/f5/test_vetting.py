"""Untrusted weights: valid ones give equal files for every layout; invalid ones are refused without side effects."""

import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
import torch
from safetensors.torch import load_file, save_file

from bench.checkpoints import ARCH, SYMBOLS
from engines.base import Checkpoint
from engines.errors import BadCheckpoint, Cancelled, EngineFailed
from engines.f5.files import EMBEDDED, locate_design
from engines.f5.vetting import process
from engines.f5.vetting.process import Vetted, usual_limits, vet
from engines.f5.vetting.sandbox import SandboxLimits
from engines.f5.vetting.task import VettingTask
from tests.engines.f5.tuning import checkpoint, network
from tests.engines.malicious import FILES, State
from training.int8 import pack

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return checkpoint(tmp_path_factory.mktemp("base") / "voice", seed=0)


@pytest.fixture(scope="module")
def state() -> State:
    return {name: value.detach() for name, value in network(1).named_parameters()}


@pytest.fixture(scope="module")
def answers(
    tmp_path_factory: pytest.TempPathFactory, base: Checkpoint, state: State
) -> dict[str, tuple[dict[str, object], bool]]:
    """Return for each file the answer of the process, and whether the canary was touched."""
    folder, tasks = tmp_path_factory.mktemp("malicious"), list[str]()
    for number, name in enumerate(FILES):
        place = folder / str(number)
        place.mkdir()
        tasks.append(task(FILES[name][0](place, state, place / "canary"), place, base).to_json())
    done = subprocess.run(
        [sys.executable, "-m", "tests.engines.f5.vetting_forks"],
        cwd=ROOT, input="\n".join(tasks), capture_output=True, check=True, text=True,
    )  # fmt: skip
    reported = [json.loads(line) for line in done.stdout.splitlines()]
    touched = [(folder / str(number) / "canary").exists() for number in range(len(FILES))]
    return dict(zip(FILES, zip(reported, touched, strict=True), strict=True))


def task(weights: Path, place: Path, base: Checkpoint) -> VettingTask:
    """Return the task as `vet` sends it."""
    looking = locate_design(base)
    with pytest.raises(StopIteration) as end:
        next(looking)
    design = end.value.value
    paths = {"weights": weights, "safetensors": place / "w.safetensors", "pt": place / "m.pt"}
    paths |= {"architecture": design.architecture, "vocabulary": design.vocabulary}
    named = {key: str(path) for key, path in paths.items()}
    return VettingTask(**named, design=design.name, limits=usual_limits(weights))


@pytest.mark.parametrize("name", FILES)
def test_malicious_and_damaged_weights_are_refused_with_a_message(
    answers: dict[str, tuple[dict[str, object], bool]], name: str
) -> None:
    answer, touched = answers[name]
    assert not touched
    assert answer.keys() == {"refused"}
    assert re.search(FILES[name][1], str(answer["refused"]))
    assert "Traceback" not in str(answer["refused"]) and "\n" not in str(answer["refused"])


@pytest.mark.long
@pytest.mark.parametrize("name", ["runs a shell", "a bomb", "a storage of four terabytes", "beyond half precision"])
def test_a_refusal_leaves_no_files(tmp_path: Path, base: Checkpoint, state: State, name: str) -> None:
    path = FILES[name][0](tmp_path, state, tmp_path / "canary")
    out = tmp_path / "vetted"
    out.mkdir()
    with pytest.raises(BadCheckpoint, match=FILES[name][1]):
        vet(path, out / "weights.safetensors", against=base, pt=out / "model.pt")
    assert not list(out.iterdir())
    assert not (tmp_path / "canary").exists()


def test_unpickling_the_file_touches_the_canary(tmp_path: Path, state: State) -> None:
    path = FILES["runs a shell"][0](tmp_path, state, tmp_path / "canary")
    torch.load(path, weights_only=False)
    assert (tmp_path / "canary").exists()


def written(folder: Path, name: str, state: State) -> Path:
    """Write the same weights in one of the possible layouts."""
    averaged = {f"ema_model.transformer.{key}": value for key, value in state.items()}
    training = {"initted": torch.tensor(True), "step": torch.tensor(7), "ema_model.mel_spec.window": torch.ones(4)}
    path = folder / f"{name}.{'safetensors' if name.startswith('safetensors') else 'pt'}"
    layouts = {
        "whole": {"ema_model_state_dict": {**averaged, **training}, "optimizer_state_dict": {"state": {}}, "update": 7},
        "plain": {"model_state_dict": {f"transformer.{key}": value for key, value in state.items()}},
        "bare": state,
    }
    if name in layouts:
        torch.save(layouts[name], path)
    else:
        save_file(averaged if name == "safetensors-averaged" else state, path)
    return path


@pytest.mark.long
def test_every_layout_gives_identical_bytes(tmp_path: Path, base: Checkpoint, state: State) -> None:
    layouts = ["whole", "plain", "bare", "safetensors", "safetensors-averaged"]
    vetted, files = [], []
    for layout in layouts:
        target = tmp_path / layout / "weights.safetensors"
        target.parent.mkdir()
        vetted.append(vet(written(tmp_path, layout, state), target, against=base))
        files.append(target.read_bytes())
        assert [left.name for left in target.parent.iterdir()] == ["weights.safetensors"]
    assert set(files) == {files[0]}
    parameters = sum(value.numel() for value in state.values())
    assert set(vetted) == {Vetted(parameters, "float32", len(state), hashlib.sha256(files[0]).hexdigest())}
    found = load_file(tmp_path / "bare" / "weights.safetensors")
    assert found.keys() == state.keys() and all(torch.equal(found[name], state[name]) for name in state)


@pytest.mark.long
def test_the_precision_is_kept(tmp_path: Path, base: Checkpoint, state: State) -> None:
    path = written(tmp_path, "plain", {name: value.bfloat16() for name, value in state.items()})
    assert vet(path, tmp_path / "out.safetensors", against=base).dtype == "bfloat16"
    assert {value.dtype for value in load_file(tmp_path / "out.safetensors").values()} == {torch.bfloat16}


def test_int8_weights_are_converted(tmp_path: Path, base: Checkpoint, state: State) -> None:
    save_file(pack(state), tmp_path / "packed.safetensors")
    vet(tmp_path / "packed.safetensors", tmp_path / "out.safetensors", against=base)
    found = load_file(tmp_path / "out.safetensors")
    assert max((found[name] - state[name]).abs().max() for name in state) < 0.05


@pytest.mark.long
def test_the_embedded_weights_fit_the_embedded_checkpoint_and_no_other(tmp_path: Path, base: Checkpoint) -> None:
    shipped = EMBEDDED / "model.safetensors"
    assert vet(shipped, tmp_path / "out.safetensors", against=Checkpoint("embedded")).parameters > 10_000_000
    with pytest.raises(BadCheckpoint, match="was not tuned from"):
        vet(shipped, tmp_path / "other.safetensors", against=base)


def test_the_published_checkpoint_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    looking = locate_design(Checkpoint("hf://SWivid/F5-TTS"))
    with pytest.raises(StopIteration) as end:
        next(looking)
    assert end.value.value.architecture.name == "F5TTS_v1_Base.yaml"


@pytest.mark.long
def test_the_pt_of_safetensors_has_upstreams_layout_and_constant_bytes(
    tmp_path: Path, base: Checkpoint, state: State
) -> None:
    from f5_tts.model.backbones.dit import DiT as UpstreamDiT  # takes ten seconds, which no other test here needs
    from f5_tts.model.cfm import CFM

    path = written(tmp_path, "safetensors", state)
    for name in ("one", "two"):
        vet(path, tmp_path / f"{name}.safetensors", against=base, pt=tmp_path / f"{name}.pt")
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes()
    # As f5-tts's load_checkpoint reads it, with strict names.
    held = torch.load(tmp_path / "one.pt", weights_only=True)["ema_model_state_dict"]
    theirs = CFM(UpstreamDiT(**ARCH, text_num_embeds=len(SYMBOLS), mel_dim=100), num_channels=100)
    rotary = theirs.transformer.rotary_embed.inv_freq.clone()
    theirs.load_state_dict({name.replace("ema_model.", ""): value for name, value in held.items()})
    assert torch.equal(theirs.transformer.rotary_embed.inv_freq, rotary)
    assert all(torch.equal(theirs.transformer.get_parameter(name), state[name]) for name in state)
    again = vet(tmp_path / "one.pt", tmp_path / "again.safetensors", against=base)
    assert again.sha256 == hashlib.sha256((tmp_path / "one.safetensors").read_bytes()).hexdigest()


@pytest.mark.long
def test_a_refusal_keeps_existing_files(tmp_path: Path, base: Checkpoint, state: State) -> None:
    (tmp_path / "weights.safetensors").write_bytes(b"kept")
    path = FILES["not a number"][0](tmp_path, state, tmp_path)
    with pytest.raises(BadCheckpoint):
        vet(path, tmp_path / "weights.safetensors", against=base)
    assert (tmp_path / "weights.safetensors").read_bytes() == b"kept"
    assert {left.name for left in tmp_path.iterdir()} == {"weights.safetensors", path.name}


def test_a_missing_file_is_refused(tmp_path: Path, base: Checkpoint) -> None:
    with pytest.raises(BadCheckpoint, match="does not exist"):
        vet(tmp_path / "nowhere.pt", tmp_path / "out.safetensors", against=base)


def test_too_little_memory_is_a_refusal(tmp_path: Path, base: Checkpoint, state: State) -> None:
    path = written(tmp_path, "plain", state)
    usual = usual_limits(path)
    assert usual.memory_bytes > 2e9
    with pytest.raises(BadCheckpoint, match="memory"):
        vet(
            path,
            tmp_path / "out.safetensors",
            against=base,
            limits=SandboxLimits(300_000_000, usual.file_bytes, usual.seconds),
        )


# psutil needs the module on Linux, so it is only hidden from the code that checks for it.
WITHOUT_LIMITS = """
from importlib import util
find = util.find_spec
util.find_spec = lambda name, package=None: None if name == "resource" else find(name, package)
"""


def test_without_system_limits_the_memory_is_watched(
    tmp_path: Path, base: Checkpoint, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LIMITS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(process, "LIMITS_KNOWN", False)
    path, target = written(tmp_path, "plain", state), tmp_path / "out.safetensors"
    usual = usual_limits(path)
    with pytest.raises(BadCheckpoint, match="memory"):
        vet(path, target, against=base, limits=SandboxLimits(100_000_000, usual.file_bytes, usual.seconds))
    assert vet(path, target, against=base).tensors == len(state)


@pytest.mark.long
def test_a_full_disk_is_not_reported_as_invalid_weights(tmp_path: Path, base: Checkpoint, state: State) -> None:
    path = written(tmp_path, "plain", state)
    usual = usual_limits(path)
    with pytest.raises(EngineFailed, match="storing it failed"):
        vet(
            path,
            tmp_path / "out.safetensors",
            against=base,
            limits=SandboxLimits(usual.memory_bytes, 100_000, usual.seconds),
        )
    assert {left.name for left in tmp_path.iterdir()} == {path.name}


def test_time_is_limited_and_stop_is_respected(tmp_path: Path, base: Checkpoint, state: State) -> None:
    path = written(tmp_path, "plain", state)
    usual, stop = usual_limits(path), threading.Event()
    with pytest.raises(BadCheckpoint, match="was not checked within"):
        vet(
            path,
            tmp_path / "out.safetensors",
            against=base,
            limits=SandboxLimits(usual.memory_bytes, usual.file_bytes, 0.2),
        )
    stop.set()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        vet(path, tmp_path / "out.safetensors", against=base, stop=stop)
    assert time.monotonic() - started < 2
    assert not [child for child in psutil.Process().children() if "engines.f5.vetting.process" in child.cmdline()]
    assert {left.name for left in tmp_path.iterdir()} == {path.name}


FLAT = """
import json, os, sys
from pathlib import Path
import psutil
from engines.base import Checkpoint
from engines.f5.vetting import process
from engines.f5.vetting.process import vet

def rss():
    return psutil.Process().memory_info().rss

folder, before = Path(sys.argv[1]), rss()
vetted = vet(folder / sys.argv[2], folder / "out.safetensors", against=Checkpoint(sys.argv[3]))
print(json.dumps({"grown": rss() - before, "torch": "torch" in sys.modules, "parameters": vetted.parameters}))
"""


@pytest.mark.long
def test_the_studio_neither_imports_torch_nor_grows(tmp_path: Path, base: Checkpoint, state: State) -> None:
    path = written(tmp_path, "whole", state)
    done = subprocess.run(
        [sys.executable, "-c", FLAT, str(tmp_path), path.name, base.source],
        cwd=ROOT, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["torch"] is False and reported["parameters"] > 0 and reported["grown"] < 5_000_000


CONFINED = """
import ctypes, os, socket, subprocess
from engines.f5.vetting.sandbox import forbid_side_effects

forbid_side_effects(["mine"])
open("mine", "w").write("allowed")
"""
DEEDS = {
    "a shell": "os.system('true')",
    "a program": "subprocess.run(['true'])",
    "a socket": "socket.socket()",
    "a new file": "open('canary', 'w')",
    "a removed file": "os.remove('kept')",
    "a library": "ctypes.CDLL('libc.so.6')",
}


@pytest.mark.parametrize("deed", DEEDS)
def test_a_confined_process_has_no_side_effects(tmp_path: Path, deed: str) -> None:
    (tmp_path / "kept").touch()
    done = subprocess.run(
        [sys.executable, "-c", CONFINED + DEEDS[deed]],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert "PermissionError" in done.stderr and "is not allowed here" in done.stderr
    assert {left.name for left in tmp_path.iterdir()} == {"kept", "mine"}
