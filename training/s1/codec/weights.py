"""The codec's weights on the disk: as a few small files, or in the form of the package."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from engines.originals import fish_codec
from training.int8 import pack
from training.s1.codec import network, quantization
from training.s1.codec.ctc import CTCHead
from training.shards import State, has_shards, load_exported, load_shards, read_notes, save_shards

EXPORTED = "codec.safetensors"
HEAD = "reader."  # prefix of the CTC head's names on the disk; the head is saved with the codec but never exported


def plain_state(model: nn.Module) -> State:
    """Return only the parameters. Tables and masks are rebuilt with the model."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def save(model: nn.Module, head: nn.Module, folder: Path, progress: Mapping[str, Any], config: str) -> None:
    """Write a folded model and its CTC head as float16 shards, which also contain configuration and progress."""
    state = plain_state(model) | {HEAD + name: value for name, value in plain_state(head).items()}
    save_shards(state, folder, "codec", {"config": config, "progress": json.dumps(dict(progress))})


def read_state(folder: Path, part: str = "codec") -> State:
    """Return float32 parameters of a checkpoint folder: those of the `codec`, or of the `head`, which exported ones lack."""
    if is_exported(folder):
        return _read_exported(folder) if part == "codec" else {}
    state = load_shards(folder, "codec")
    if part == "head":
        return {name.removeprefix(HEAD): value for name, value in state.items() if name.startswith(HEAD)}
    return {name: value for name, value in state.items() if not name.startswith(HEAD)}


def is_exported(folder: Path) -> bool:
    """Return True if the folder has a packed codec instead of the shards of a training."""
    return (folder / EXPORTED).exists() and not has_shards(folder, "codec")


def _read_exported(folder: Path) -> State:
    model = fish_codec.build(fish_codec.parse_config(read_config(folder)))
    state = load_exported(folder / EXPORTED)
    if missing := dict(model.named_parameters()).keys() - state.keys():
        raise KeyError(f"{EXPORTED} lacks {sorted(missing)[:4]}; export it again")
    model.load_state_dict(state, strict=False)
    return plain_state(network.fold(model))


def read_config(folder: Path | None) -> str:
    """Return the text of a checkpoint's configuration; "" if there is none."""
    if folder and is_exported(folder):
        return fish_codec.read_text(folder / "codec.yaml")
    return read_notes(folder, "codec").get("config", "")


def read_progress(folder: Path) -> dict[str, Any]:
    """Return the progress that was given to `save`; empty if there is none."""
    if is_exported(folder):
        return {"quantised": True}
    return dict(json.loads(read_notes(folder, "codec").get("progress", "{}")))


def read_full(folder: Path | None, decoder_only: bool, device: torch.device) -> dict[str, Any]:
    """Return the full state that an earlier call left on this machine; empty if there is none."""
    path = folder / "state.pt" if folder else None
    if path is None or not path.exists():
        return {}
    state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    return state if state["decoder_only"] == decoder_only else {}


def load(folder: Path) -> nn.Module:
    """Return the codec of a checkpoint folder with plain weights, for inference."""
    model = network.fold(fish_codec.build(fish_codec.parse_config(read_config(folder))))
    fill(model, read_state(folder))
    return model.eval().requires_grad_(False)


def load_head(folder: Path, model: nn.Module) -> CTCHead:
    """Return the head that recognises letters in the semantic codes."""
    head = CTCHead(quantization.semantic_width(model))
    fill(head, read_state(folder, "head"))
    return head.eval().requires_grad_(False)


@torch.no_grad()
def fill(model: nn.Module, state: State) -> None:
    """Copy every parameter by name. Raises KeyError for missing or surplus parameters."""
    own = dict(model.named_parameters())
    if own.keys() != state.keys():
        odd = sorted(own.keys() ^ state.keys())
        raise KeyError(f"parameters differ: {odd[:4]}; use the checkpoint's own configuration")
    for name, parameter in own.items():
        parameter.copy_(state[name])


def upstream_state(plain: State, names: list[str]) -> State:
    """Return the weights with the names of the package. Each weight norm becomes a length and a direction."""
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
    """Write `codec.pth` in the form of fish-speech, with the YAML from which its loader builds the codec.

    With `packed`, write `codec.safetensors`: large matrices are int8 with a `.scale`, as `engines.runtime.weights` reads.
    """
    target.mkdir(parents=True, exist_ok=True)
    config = read_config(folder)
    model = fish_codec.build(fish_codec.parse_config(config))
    names = [name for name, _ in model.named_parameters()]
    state = upstream_state(read_state(folder), names)
    if len(state) != len(names):
        raise KeyError(f"no weight for {sorted(set(names) - state.keys())[:4]}; the checkpoint is of another form")
    write(state, target / "codec", packed)
    (target / "codec.yaml").write_text(config, encoding="utf-8")


def write(state: State, path: Path, packed: bool) -> None:
    """Write `path`.safetensors in int8 if `packed`, else `path`.pth in float16."""
    if packed:
        save_file(pack(state), path.with_suffix(".safetensors"))
    else:
        torch.save({name: value.half() for name, value in state.items()}, path.with_suffix(".pth"))
