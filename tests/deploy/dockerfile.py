"""Parse the part of the Dockerfile language that our Dockerfiles use."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

FLAG = re.compile(r"--(\w[\w-]*)=(\S+)\s+")


@dataclass(frozen=True, slots=True)
class Step:
    kind: str  # RUN, COPY, ENV, …
    flags: tuple[tuple[str, str], ...]
    value: str

    @classmethod
    def read(cls, line: str) -> "Step":
        kind, _, rest = line.partition(" ")
        flags = []
        while found := FLAG.match(rest := rest.lstrip()):
            flags.append((found[1], found[2]))
            rest = rest[found.end() :]
        return cls(kind.upper(), tuple(flags), rest.strip())

    def flag(self, name: str) -> str:
        return dict(self.flags).get(name, "")

    @property
    def caches(self) -> list[str]:
        """Return the folders that the step caches between builds."""
        mounts = [
            dict(part.split("=", 1) for part in value.split(",")) for name, value in self.flags if name == "mount"
        ]
        return [mount["target"] for mount in mounts if mount["type"] == "cache"]

    @property
    def words(self) -> list[str]:
        """Return the words of the exec form."""
        return [str(word) for word in json.loads(self.value)]


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    parent: str
    steps: list[Step] = field(default_factory=list)


def read(path: Path) -> dict[str, Stage]:
    """Return the stages by name, in order."""
    text = re.sub(r"^#.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    stages: dict[str, Stage] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        step = Step.read(line.strip())
        if step.kind == "FROM":
            parent, _, name = step.value.split()
            stages[name] = Stage(name, parent)
        else:
            stages[next(reversed(stages))].steps.append(step)
    return stages


def assignments(value: str, known: dict[str, str]) -> dict[str, str]:
    """Return the assignments of an ENV or ARG step; a value may refer to earlier ones."""
    pairs = (word.split("=", 1) for word in value.split())
    return {name: Template(given).safe_substitute(known) for name, given in pairs}
