"""The codec's weights on disk: small shards to carry, and the package's own form to load."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from assets.voices.s1 import network, upstream

SHARD_BYTES = 15 * 2**20
State = dict[str, Tensor]


def plain_state(model: nn.Module) -> State:
    """Parameters alone: tables and masks are rebuilt with the model."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def save(model: nn.Module, folder: Path, progress: Mapping[str, Any], config: Path = upstream.CONFIG) -> None:
    """Write a folded model as fp16 shards, its configuration and its progress; each file appears whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, shard in enumerate(_shards(plain_state(model)), start=1):
        target = folder / f"codec-{number:05d}.safetensors"
        save_file(shard, target.with_suffix(".part"))
        target.with_suffix(".part").replace(target)
    shutil.copyfile(config, folder / "codec.yaml.part")
    (folder / "codec.yaml.part").replace(folder / "codec.yaml")
    (folder / "progress.json").write_text(json.dumps(dict(progress), indent=1))


def _shards(state: State) -> list[State]:
    shards: list[State] = [{}]
    size = 0
    for name, value in state.items():
        half = value.to("cpu", torch.float16).contiguous()
        if size + half.nbytes > SHARD_BYTES:
            shards.append({})
            size = 0
        shards[-1][name] = half
        size += half.nbytes
    return shards


def read_state(folder: Path) -> State:
    """Float32 parameters of a checkpoint folder."""
    shards = sorted(folder.glob("codec-*.safetensors"))
    if not shards:
        raise FileNotFoundError(f"{folder.name} holds no codec-*.safetensors; train one first")
    return {name: value.float() for shard in shards for name, value in load_file(shard).items()}


def read_progress(folder: Path) -> dict[str, Any]:
    """What `save` was told, or nothing."""
    path = folder / "progress.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def load(folder: Path) -> nn.Module:
    """The codec of a checkpoint folder, its weights plain, ready to speak."""
    model = network.fold(upstream.build(upstream.read_config(folder / "codec.yaml")))
    fill(model, read_state(folder))
    return model.eval()


@torch.no_grad()
def fill(model: nn.Module, state: State) -> None:
    """Copy every parameter by name; a missing or surplus one is an error."""
    own = dict(model.named_parameters())
    if own.keys() != state.keys():
        odd = sorted(own.keys() ^ state.keys())
        raise KeyError(f"parameters differ: {odd[:4]}; use the checkpoint's own codec.yaml")
    for name, parameter in own.items():
        parameter.copy_(state[name])


def upstream_state(plain: State, names: list[str]) -> State:
    """The same weights under the package's names, each weight norm as its length and direction."""
    state: State = {}
    for name in names:
        if name in plain:
            state[name] = plain[name].clone()
        elif name.endswith(("parametrizations.weight.original0", "weight_g")):
            weight = plain[_plain_name(name)]
            state[name] = weight.flatten(1).norm(dim=1).reshape(-1, 1, 1)
        elif name.endswith(("parametrizations.weight.original1", "weight_v")):
            state[name] = plain[_plain_name(name)].clone()
    return state


def _plain_name(name: str) -> str:
    for ending in ("parametrizations.weight.original0", "parametrizations.weight.original1", "weight_g", "weight_v"):
        if name.endswith(ending):
            return name.removesuffix(ending) + "weight"
    return name


def export(folder: Path, target: Path) -> None:
    """Write `codec.pth` as fish-speech loads it, with the YAML that its loader instantiates beside it."""
    target.mkdir(parents=True, exist_ok=True)
    model = upstream.build(upstream.read_config(folder / "codec.yaml"))
    names = [name for name, _ in model.named_parameters()]
    state = upstream_state(read_state(folder), names)
    if len(state) != len(names):
        raise KeyError(f"no weight for {sorted(set(names) - state.keys())[:4]}; the checkpoint is of another form")
    torch.save({name: value.half() for name, value in state.items()}, target / "codec.pth")
    shutil.copyfile(folder / "codec.yaml", target / "codec.yaml")
