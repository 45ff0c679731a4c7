"""Find the files of an F5-TTS checkpoint: embedded, in a local folder, or on the Hub."""

from collections.abc import Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from engines.base import Checkpoint
from engines.errors import BadCheckpoint
from engines.f5.spec import SPEC
from engines.runtime.download import fetch
from engines.types import Progress

EMBEDDED = Path(__file__).parents[2] / "assets" / "voices" / "f5" / "checkpoint"
HUB_DEFAULTS = {"SWivid/F5-TTS": "F5TTS_v1_Base/model_1250000.safetensors"}
HUB_VOCODER = "charactr/vocos-mel-24khz"
DEFAULT_ARCHITECTURE = "F5TTS_v1_Base"
WEIGHTS = ("*.safetensors", "*.pt")


@dataclass(frozen=True, slots=True)
class F5Files:
    """The files of a checkpoint."""

    name: str  # shown to the designer
    weights: Path
    vocabulary: Path
    architecture: Path  # YAML with model.arch
    vocoder_config: Path
    vocoder_weights: Path


@dataclass(frozen=True, slots=True)
class CheckpointDesign:
    """The files that define the names and shapes of a checkpoint's weights."""

    name: str  # shown to the designer
    architecture: Path  # YAML with model.arch
    vocabulary: Path


def locate(checkpoint: Checkpoint) -> Generator[Progress, None, F5Files]:
    """Find or download every file; yield progress and return the files. Raises BadCheckpoint for a missing file."""
    source = checkpoint.source
    if source == "embedded":
        name, (weights, vocabulary) = "embedded", _local(EMBEDDED)
    elif source.startswith("hf://"):
        repo, file = _hub_file(source)
        folder = file.rpartition("/")[0]
        weights = yield from fetch(repo, file)
        vocabulary = yield from fetch(repo, f"{folder}/vocab.txt".lstrip("/"))
        name = f"{repo}/{file}"
    else:
        weights, vocabulary = _local(Path(source).expanduser())
        name = weights.parent.name + "/" + weights.name
    config, vocoder = yield from _vocoder(checkpoint, weights)
    return F5Files(name, weights, vocabulary, _architecture(weights), config, vocoder)


def locate_design(checkpoint: Checkpoint) -> Generator[Progress, None, CheckpointDesign]:
    """Find the files that define names and shapes of a checkpoint's weights, not the weights. Raises BadCheckpoint."""
    source = checkpoint.source
    if not source.startswith("hf://"):
        weights, vocabulary = _local(EMBEDDED if source == "embedded" else Path(source).expanduser())
        return CheckpointDesign(source, _architecture(weights), vocabulary)
    repo, file = _hub_file(source)
    if repo in HUB_DEFAULTS and (package := _published()) is not None:
        vocabulary = package / "infer" / "examples" / "vocab.txt"  # the vocabulary of every published checkpoint
        return CheckpointDesign(repo, _published_architecture(package, file.partition("/")[0]), vocabulary)
    vocabulary = yield from fetch(repo, f"{file.rpartition('/')[0]}/vocab.txt".lstrip("/"))
    return CheckpointDesign(repo, _architecture(vocabulary), vocabulary)


def read_design(architecture: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read (model.arch, inference) of a configuration. Raises BadCheckpoint."""
    config = yaml.safe_load(architecture.read_text())
    arch = config.get("model", {}).get("arch")
    if not isinstance(arch, dict):
        raise BadCheckpoint(f"{architecture.name}: model.arch is missing; add the section that describes the network")
    return arch, config.get("inference", {})


def _hub_file(source: str) -> tuple[str, str]:
    parts = source.removeprefix("hf://").strip("/").split("/")
    if len(parts) < 2:
        raise BadCheckpoint(f"{source}: write hf://owner/repo or hf://owner/repo/folder/file.safetensors")
    repo, file = "/".join(parts[:2]), "/".join(parts[2:])
    if not file and repo not in HUB_DEFAULTS:
        raise BadCheckpoint(f"{source}: add the file of the weights, as in hf://{repo}/folder/model.safetensors")
    return repo, file or HUB_DEFAULTS[repo]


def _local(path: Path) -> tuple[Path, Path]:
    """Return (weights, vocabulary) of a folder, or of a weights file and the vocabulary next to it."""
    if path.is_dir():
        found = sorted(file for pattern in WEIGHTS for file in path.glob(pattern))
        if len(found) != 1:
            what = "no" if not found else "more than one"
            raise BadCheckpoint(
                f"{path.name}: the folder has {what} .safetensors or .pt file; give the path of one file"
            )
        path = found[0]
    if not path.is_file():
        raise BadCheckpoint(f"{path}: this checkpoint does not exist; check STUDIO_F5_CHECKPOINT")
    vocabulary = path.parent / "vocab.txt"
    if not vocabulary.is_file():
        raise BadCheckpoint(f"{path.name}: vocab.txt is missing in its folder; copy it from the source of the weights")
    return path, vocabulary


def _architecture(file: Path) -> Path:
    """Return the YAML next to a checkpoint's file, else the published one named like its folder, else that of v1 Base."""
    for name in ("config.yaml", "config.yml", f"{file.parent.name}.yaml"):
        if (file.parent / name).is_file():
            return file.parent / name
    package = _published()
    if package is None:
        raise BadCheckpoint(
            f"{file.name}: config.yaml is missing in its folder; add it, or install f5-tts for the published ones"
        )
    return _published_architecture(package, file.parent.name)


def _published_architecture(package: Path, name: str) -> Path:
    named = package / "configs" / f"{name}.yaml"
    return named if named.is_file() else package / "configs" / f"{DEFAULT_ARCHITECTURE}.yaml"


def _published() -> Path | None:
    """Find the folder of the f5-tts package without importing it, which would take ten seconds."""
    package = find_spec("f5_tts")
    found = package.submodule_search_locations if package is not None else None
    return Path(found[0]) if found else None


def _vocoder(checkpoint: Checkpoint, weights: Path) -> Generator[Progress, None, tuple[Path, Path]]:
    """Return (config, weights) of Vocos: the chosen one, the one next to the checkpoint, or the published one."""
    local = weights.parent / "vocos"
    source = SPEC.option(checkpoint, "vocoder") or (str(local) if local.is_dir() else f"hf://{HUB_VOCODER}")
    if source == "embedded":
        source = str(EMBEDDED / "vocos")
    if source.startswith("hf://"):
        repo = source.removeprefix("hf://").strip("/")
        config = yield from fetch(repo, "config.yaml")
        return config, (yield from fetch(repo, "pytorch_model.bin"))
    folder = Path(source).expanduser()
    for name in ("model.safetensors", "pytorch_model.bin"):
        if (folder / name).is_file() and (folder / "config.yaml").is_file():
            return folder / "config.yaml", folder / name
    raise BadCheckpoint(
        f"{folder.name}: the vocoder folder needs config.yaml and model.safetensors or pytorch_model.bin"
    )
