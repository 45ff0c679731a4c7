"""Run the steps of a Dockerfile in a separate root: layers are overlays, and the base image is a new Debian.

Mounts remain, so this runs as root in a mount namespace that ends with the process.
"""

import hashlib
import logging
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from deploy.context import ROOT, files
from tests.deploy.dockerfile import Stage, Step, assignments

log = logging.getLogger(__name__)

MIRROR = "http://deb.debian.org/debian"
BASE = "debian:bookworm-slim"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(slots=True)
class Image:
    """The result of a stage: its layers, the lowest first, and its run settings."""

    layers: list[Path]
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0"
    command: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outside:
    """Files of this machine that builds need and images must not contain: package index settings and certificates."""

    files: Mapping[str, str]  # path in RUN steps: path on this machine
    variables: Mapping[str, str]


class Builder:
    def __init__(self, work: Path, stages: dict[str, Stage], outside: Outside) -> None:
        self._work, self._stages, self._outside = work, stages, outside
        self._built: dict[str, Image] = {}

    def image(self, name: str) -> Image:
        """Build the stage with this name and the stages that it needs, once."""
        if name == BASE:
            return Image([self._debian()])
        if name not in self._built:
            self._built[name] = self._build(self._stages[name])
        return self._built[name]

    def _build(self, stage: Stage) -> Image:
        parent = self.image(stage.parent)
        image = Image([*parent.layers], dict(parent.environment), {}, parent.folder, parent.user, parent.command)
        for number, step in enumerate(stage.steps):
            if step.kind in LAYERS:
                image.layers.append(self._layer(image, step, f"{stage.name}-{number}"))
            else:
                SETTINGS[step.kind](image, step)
        return image

    def _layer(self, image: Image, step: Step, name: str) -> Path:
        """Return the layer of a step, built again if the step or its base has changed."""
        layer = self._work / "layers" / f"{name}-{self._key(image, step)}"
        done, began = layer.with_suffix(".done"), time.monotonic()
        if not done.exists():
            for old in layer.parent.glob(f"{name}-*"):
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            (layer / image.folder.lstrip("/")).mkdir(parents=True)
            LAYERS[step.kind](self, image, step, layer)
            done.touch()
        log.info("%6.1f s %6.0f MB  %s: %s %s", time.monotonic() - began, _mb(layer), name, step.kind, step.value[:60])
        return layer

    def _key(self, image: Image, step: Step) -> str:
        """Return the digest of everything that decides the layer of a step."""
        below = [layer.name for layer in image.layers]
        seen = hashlib.sha256(repr((below, step, image.environment, image.arguments, image.folder)).encode())
        if step.kind == "COPY" and (origin := step.flag("from")):
            seen.update(repr([layer.name for layer in self.image(origin).layers]).encode())
        elif step.kind == "COPY":
            for path in _copied(step):
                seen.update(str(path).encode() + (ROOT / path).read_bytes())
        return seen.hexdigest()[:12]

    def _debian(self) -> Path:
        """Build a minimal Debian, like the base image."""
        root = self._work / "debian"
        if not root.exists():
            subprocess.run(
                ["debootstrap", "--variant=minbase", "bookworm", root.with_suffix(".new"), MIRROR],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            root.with_suffix(".new").rename(root)
        return root

    def run(self, image: Image, step: Step, layer: Path) -> None:
        with ExitStack() as mounts:
            root = mounted(image.layers, self._work / "root", mounts, layer)
            for place in ("proc", "dev", "etc/resolv.conf"):
                bind(Path("/", place), root / place, mounts)
            for there, here in self._outside.files.items():
                bind(Path(here), root / there.lstrip("/"), mounts, "bind,ro")  # a step may overwrite existing files
            for cache in step.caches:
                kept = self._work / "caches" / cache.strip("/").replace("/", "-")
                kept.mkdir(parents=True, exist_ok=True)
                bind(kept, root / cache.lstrip("/"), mounts)
            environment = {"HOME": "/root", **image.environment, **image.arguments, **self._outside.variables}
            inside = ["/bin/sh", "-c", f"cd {image.folder} && {step.value}"]
            subprocess.run(["chroot", f"--userspec={image.user}", root, *inside], env=environment, check=True)

    def copy(self, image: Image, step: Step, layer: Path) -> None:
        *sources, target = step.value.split()
        into = layer / image.folder.lstrip("/") / target
        if not (origin := step.flag("from")):
            for path in _copied(step):
                (into / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, into / path)
            return
        into.mkdir(parents=True, exist_ok=True)
        for below in self.image(origin).layers:  # as links: the packages alone take 6 GB
            for folder in (below / source.lstrip("/") for source in sources):
                if folder.exists():
                    subprocess.run(["cp", "-alf", f"{folder}/.", into], check=True)


def _copied(step: Step) -> list[Path]:
    """Return the files that a COPY step names."""
    sources = step.value.split()[:-1]
    return [path for path in files() if sources == ["."] or str(path) in sources]


def _workdir(image: Image, step: Step) -> None:
    image.folder = step.value


def _user(image: Image, step: Step) -> None:
    image.user = step.value


def _entrypoint(image: Image, step: Step) -> None:
    image.command = step.words


def _env(image: Image, step: Step) -> None:
    image.environment |= assignments(step.value, {**image.arguments, **image.environment})


def _arg(image: Image, step: Step) -> None:
    image.arguments |= assignments(step.value, image.environment)


def _said(image: Image, step: Step) -> None:
    """Ignore settings that only matter when the image runs."""


LAYERS: Mapping[str, Callable[[Builder, Image, Step, Path], None]] = {"RUN": Builder.run, "COPY": Builder.copy}
SETTINGS: Mapping[str, Callable[[Image, Step], None]] = {
    "ARG": _arg,
    "ENTRYPOINT": _entrypoint,
    "ENV": _env,
    "EXPOSE": _said,
    "HEALTHCHECK": _said,
    "LABEL": _said,
    "USER": _user,
    "WORKDIR": _workdir,
}


def mounted(layers: Sequence[Path], at: Path, mounts: ExitStack, upper: Path | None = None) -> Path:
    """Mount layers as one root, read-only without an upper layer."""
    at.mkdir(parents=True, exist_ok=True)
    options = f"lowerdir={':'.join(str(layer) for layer in reversed(layers))}"
    if upper is not None:
        work = upper.parent / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        options += f",upperdir={upper},workdir={work}"
    elif len(layers) == 1:  # an overlay needs at least two lower layers
        bind(layers[0], at, mounts)
        return at
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, at], check=True)
    mounts.callback(subprocess.run, ["umount", "--lazy", at], check=True)
    return at


def bind(source: Path, target: Path, mounts: ExitStack, options: str = "rbind") -> None:
    """Bind a file or folder to another path, which is created if it is missing."""
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    elif not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
        mounts.callback(target.unlink)
    subprocess.run(["mount", "-o", options, source, target], check=True)
    mounts.callback(subprocess.run, ["umount", "--lazy", target], check=True)


def _mb(folder: Path) -> float:
    said = subprocess.run(["du", "-sm", folder], check=True, capture_output=True, text=True).stdout
    return float(said.split()[0])
