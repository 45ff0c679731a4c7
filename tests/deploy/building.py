"""The steps of a Dockerfile run in a root of their own: layers are overlays, the base image is a fresh Debian.

Mounts are left behind, so it runs in a mount namespace that ends with it; it must be root.
"""

import logging
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from deploy.context import copy
from tests.deploy.dockerfile import Stage, Step, assignments

log = logging.getLogger(__name__)

MIRROR = "http://deb.debian.org/debian"
BASE = "debian:bookworm-slim"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(slots=True)
class Image:
    """What a stage left: its layers, the lowest first, and how it wants to be run."""

    layers: list[Path]
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0"
    command: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outside:
    """What builds need of this machine and images never hold: a package index's settings and certificates."""

    files: Mapping[str, str]  # as RUN steps see them: where there, where here
    variables: Mapping[str, str]


class Builder:
    def __init__(self, work: Path, stages: dict[str, Stage], outside: Outside) -> None:
        self._work, self._stages, self._outside = work, stages, outside
        self._built: dict[str, Image] = {}

    def image(self, name: str) -> Image:
        """The stage of this name, and those it needs, built once."""
        if name == BASE:
            return Image([self._debian()])
        if name not in self._built:
            self._built[name] = self._build(self._stages[name])
        return self._built[name]

    def _build(self, stage: Stage) -> Image:
        parent = self.image(stage.parent)
        image = Image([*parent.layers], dict(parent.environment), {}, parent.folder, parent.user, parent.command)
        for number, step in enumerate(stage.steps):
            began = time.monotonic()
            STEPS[step.kind](self, image, step, f"{stage.name}-{number}")
            if step.kind in ("RUN", "COPY"):
                log.info(
                    "%6.1f s %8.1f MB  %s: %s",
                    time.monotonic() - began,
                    _mb(image.layers[-1]),
                    stage.name,
                    step.value[:70],
                )
        return image

    def _debian(self) -> Path:
        """A minimal Debian, as the base image is one."""
        root = self._work / "debian"
        if not root.exists():
            subprocess.run(
                ["debootstrap", "--variant=minbase", "bookworm", root.with_suffix(".new"), MIRROR],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            root.with_suffix(".new").rename(root)
        return root

    def _run(self, image: Image, step: Step, name: str) -> None:
        with ExitStack() as mounts:
            root = self._layer(image, name, mounts)
            for place in ("proc", "dev", "etc/resolv.conf"):
                bind(Path("/", place), root / place, mounts)
            for there, here in self._outside.files.items():
                bind(Path(here), root / there.lstrip("/"), mounts)
            for cache in step.caches:
                kept = self._work / "caches" / cache.strip("/").replace("/", "-")
                kept.mkdir(parents=True, exist_ok=True)
                bind(kept, root / cache.lstrip("/"), mounts)
            environment = {"HOME": "/root", **image.environment, **image.arguments, **self._outside.variables}
            inside = ["/bin/sh", "-c", f"cd {image.folder} && {step.value}"]
            subprocess.run(["chroot", f"--userspec={image.user}", root, *inside], env=environment, check=True)

    def _copy(self, image: Image, step: Step, name: str) -> None:
        *sources, target = step.value.split()
        with ExitStack() as mounts:
            root = self._layer(image, name, mounts)
            into = root / image.folder.lstrip("/") / target
            if origin := step.flag("from"):
                with ExitStack() as others:
                    seen = mounted(self.image(origin).layers, self._work / "from", others)
                    shutil.copytree(seen / sources[0].lstrip("/"), into, symlinks=True, dirs_exist_ok=True)
            elif sources == ["."]:
                copy(into)
            else:
                staged = self._work / "context"
                copy(staged)
                for source in sources:
                    shutil.copy2(staged / source, into / Path(source).name if target.endswith("/") else into)

    def _layer(self, image: Image, name: str, mounts: ExitStack) -> Path:
        """A new layer on the image, mounted over the others."""
        upper = self._work / "layers" / name
        upper.mkdir(parents=True)
        root = mounted(image.layers, self._work / "root", mounts, upper)
        image.layers.append(upper)
        (root / image.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
        return root

    def _env(self, image: Image, step: Step, _: str) -> None:
        image.environment |= assignments(step.value, {**image.arguments, **image.environment})

    def _arg(self, image: Image, step: Step, _: str) -> None:
        image.arguments |= assignments(step.value, image.environment)

    def _workdir(self, image: Image, step: Step, _: str) -> None:
        image.folder = step.value

    def _user(self, image: Image, step: Step, _: str) -> None:
        image.user = step.value

    def _cmd(self, image: Image, step: Step, _: str) -> None:
        image.command = step.words

    def _said(self, image: Image, step: Step, _: str) -> None:
        """It is for whoever runs the image."""


STEPS: Mapping[str, Callable[[Builder, Image, Step, str], None]] = {
    "RUN": Builder._run,
    "COPY": Builder._copy,
    "ENV": Builder._env,
    "ARG": Builder._arg,
    "WORKDIR": Builder._workdir,
    "USER": Builder._user,
    "CMD": Builder._cmd,
    "EXPOSE": Builder._said,
    "HEALTHCHECK": Builder._said,
}


def mounted(layers: Sequence[Path], at: Path, mounts: ExitStack, upper: Path | None = None) -> Path:
    """Layers as one root, read-only unless there is an upper one to write to."""
    at.mkdir(parents=True, exist_ok=True)
    options = f"lowerdir={':'.join(str(layer) for layer in reversed(layers))}"
    if upper is not None:
        work = upper.with_suffix(".work")
        work.mkdir()
        options += f",upperdir={upper},workdir={work}"
    elif len(layers) == 1:  # an overlay has two
        bind(layers[0], at, mounts)
        return at
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, at], check=True)
    mounts.callback(subprocess.run, ["umount", "--lazy", at], check=True)
    return at


def bind(source: Path, target: Path, mounts: ExitStack) -> None:
    """Show a file or folder at another place, which is made where it is missing."""
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    elif not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
        mounts.callback(target.unlink)
    subprocess.run(["mount", "--rbind", source, target], check=True)
    mounts.callback(subprocess.run, ["umount", "--lazy", target], check=True)


def _mb(folder: Path) -> float:
    said = subprocess.run(["du", "-sm", folder], check=True, capture_output=True, text=True).stdout
    return float(said.split()[0])
