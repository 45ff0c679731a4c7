"""The files of an image: the repository without the files that .dockerignore excludes."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
RULES = ".dockerignore"


@dataclass(frozen=True, slots=True)
class Rule:
    keeps: bool  # True for a line that begins with "!"
    pattern: re.Pattern[str]

    @classmethod
    def read(cls, line: str) -> "Rule":
        glob = line.removeprefix("!").strip("/")
        parts = re.split(r"(\*\*/|\*)", glob)
        regex = "".join({"**/": "(?:.*/)?", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts)
        return cls(line.startswith("!"), re.compile(regex))

    def names(self, path: PurePosixPath) -> bool:
        """Return True if the rule matches this path or one of its parent folders."""
        return any(self.pattern.fullmatch(str(each)) for each in (path, *path.parents[:-1]))


def read_rules(text: str) -> list[Rule]:
    lines = (line.strip() for line in text.splitlines())
    return [Rule.read(line) for line in lines if line and not line.startswith("#")]


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files of an image, relative to the root. The last rule that matches a path decides, as in Docker.

    Excluded top-level folders are not searched, because a virtual environment has 100,000 files.
    """
    rules = read_rules((root / RULES).read_text("utf-8"))
    for top in sorted(root.iterdir()):
        if not _is_kept(rules, PurePosixPath(top.name)):
            continue
        if top.is_file():
            yield Path(top.name)
        for folder, _, names in os.walk(top):
            paths = (Path(folder, name).relative_to(root) for name in sorted(names))
            yield from (path for path in paths if _is_kept(rules, PurePosixPath(path)))


def copy(target: Path, root: Path = ROOT) -> None:
    """Copy the files of an image to a folder."""
    for path in files(root):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / path, target / path)


def _is_kept(rules: list[Rule], path: PurePosixPath) -> bool:
    deciding = next((rule for rule in reversed(rules) if rule.names(path)), None)
    return deciding is None or deciding.keeps
