"""The codec's weights on disk: a few small files to carry, and the package's own form to load."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from training.packing import pack, unpack
from training.s1.codec import ctc, network, upstream

SHARD_BYTES = 14 * 2**20
EXPORTED = "codec.safetensors"
READER = "reader."  # the prefix of the head that is carried but never exported
State = dict[str, Tensor]


def plain_state(model: nn.Module) -> State:
    """Parameters alone: tables and masks are rebuilt with the model."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def save(model: nn.Module, reader: nn.Module, folder: Path, progress: Mapping[str, Any], config: str) -> None:
    """Write a folded model and its reader as fp16 shards that also hold configuration and progress."""
    state = plain_state(model) | {READER + name: value for name, value in plain_state(reader).items()}
    save_shards(state, folder, "codec", {"config": config, "progress": json.dumps(dict(progress))})


def save_shards(state: State, folder: Path, name: str, notes: dict[str, str]) -> None:
    """Write `name-00001.safetensors` and on, each under SHARD_BYTES and appearing whole, the notes in every one."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, shard in enumerate(_shards(state), start=1):
        target = folder / f"{name}-{number:05d}.safetensors"
        save_file(shard, target.with_suffix(".part"), metadata=notes)
        target.with_suffix(".part").replace(target)


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


def load_shards(folder: Path, name: str) -> State:
    """Float32 tensors of `name-*.safetensors`."""
    shards = sorted(folder.glob(f"{name}-*.safetensors"))
    if not shards:
        raise FileNotFoundError(f"{folder} holds no {name}-*.safetensors; train one first")
    return {key: value.float() for shard in shards for key, value in load_file(shard).items()}


def read_notes(folder: Path | None, name: str) -> dict[str, str]:
    """What stands beside the tensors of the first shard, or nothing."""
    shards = sorted(folder.glob(f"{name}-*.safetensors")) if folder else []
    if not shards:
        return {}
    with safe_open(shards[0], "pt") as file:
        return dict(file.metadata() or {})


def read_state(folder: Path, part: str = "codec") -> State:
    """Float32 parameters of a checkpoint folder: the `codec`'s or the `reader`'s, which an exported one does not hold."""
    if is_exported(folder):
        return _read_exported(folder) if part == "codec" else {}
    state = load_shards(folder, "codec")
    if part == "reader":
        return {name.removeprefix(READER): value for name, value in state.items() if name.startswith(READER)}
    return {name: value for name, value in state.items() if not name.startswith(READER)}


def is_exported(folder: Path) -> bool:
    """Whether a folder holds a packed codec in place of a training's shards."""
    return (folder / EXPORTED).exists() and not list(folder.glob("codec-*.safetensors"))


def _read_exported(folder: Path) -> State:
    model = upstream.build(upstream.parse_config(read_config(folder)))
    state = unpack(load_file(folder / EXPORTED))
    if missing := dict(model.named_parameters()).keys() - state.keys():
        raise KeyError(f"{EXPORTED} lacks {sorted(missing)[:4]}; export it again")
    model.load_state_dict(state, strict=False)
    return plain_state(network.fold(model))


def read_config(folder: Path | None) -> str:
    """The text of a checkpoint's configuration, or nothing."""
    if folder and is_exported(folder):
        return upstream.read_text(folder / "codec.yaml")
    return read_notes(folder, "codec").get("config", "")


def read_progress(folder: Path) -> dict[str, Any]:
    """What `save` was told, or nothing."""
    if is_exported(folder):
        return {"quantised": True}
    return dict(json.loads(read_notes(folder, "codec").get("progress", "{}")))


def load(folder: Path) -> nn.Module:
    """The codec of a checkpoint folder, its weights plain, ready to speak."""
    model = network.fold(upstream.build(upstream.parse_config(read_config(folder))))
    fill(model, read_state(folder))
    return model.eval().requires_grad_(False)


def load_reader(folder: Path, model: Any) -> ctc.Reader:
    """The head that reads the words off its semantic codes."""
    reader = ctc.Reader(model.quantizer.semantic_quantizer.quantizers[0].out_proj.out_channels)
    fill(reader, read_state(folder, "reader"))
    return reader.eval().requires_grad_(False)


@torch.no_grad()
def fill(model: nn.Module, state: State) -> None:
    """Copy every parameter by name; a missing or surplus one is an error."""
    own = dict(model.named_parameters())
    if own.keys() != state.keys():
        odd = sorted(own.keys() ^ state.keys())
        raise KeyError(f"parameters differ: {odd[:4]}; use the checkpoint's own configuration")
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


def export(folder: Path, target: Path, packed: bool = False) -> None:
    """Write `codec.pth` as fish-speech loads it, with the YAML that its loader instantiates beside it.

    `packed`: `codec.safetensors` instead, big matrices as int8 with a `.scale` beside them, as `engines.weights` restores.
    """
    target.mkdir(parents=True, exist_ok=True)
    config = read_config(folder)
    model = upstream.build(upstream.parse_config(config))
    names = [name for name, _ in model.named_parameters()]
    state = upstream_state(read_state(folder), names)
    if len(state) != len(names):
        raise KeyError(f"no weight for {sorted(set(names) - state.keys())[:4]}; the checkpoint is of another form")
    write(state, target / "codec", packed)
    (target / "codec.yaml").write_text(config, encoding="utf-8")


def write(state: State, path: Path, packed: bool) -> None:
    """Write `path`.safetensors packed, or `path`.pth in float16."""
    if packed:
        save_file(pack(state), path.with_suffix(".safetensors"))
    else:
        torch.save({name: value.half() for name, value in state.items()}, path.with_suffix(".pth"))
