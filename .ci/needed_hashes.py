"""Of a requirements file's hashes those that a machine here may need: `python .ci/needed_hashes.py PYLOCK REQUIREMENTS`.

An index has wheels for every Python and system there is; three of four are for none that this project runs on.
"""

import re
import sys
import tomllib
from pathlib import Path

HASH = re.compile(r" \\\n    --hash=sha256:(\w+)")
PYTHONS = ("cp311", "cp312", "py3", "py2")
LATEST = 312  # abi3 wheels of this CPython and all before
SYSTEMS = re.compile(
    r"any$|manylinux.*(x86_64|aarch64)$|linux_(x86_64|aarch64)$|macosx.*(x86_64|arm64|universal2)$|win_amd64$"
)


def is_needed(wheel: str) -> bool:
    """Whether Python 3.11 or 3.12 installs a wheel of this name on Linux, macOS or Windows with 64 bit."""
    python, abi, system = wheel.removesuffix(".whl").rsplit("-", 3)[1:]
    stable = abi == "abi3" and any(int(tag[2:]) <= LATEST for tag in python.split(".") if tag[2:].isdecimal())
    return bool(SYSTEMS.search(system)) and (stable or any(python.startswith(tag) for tag in PYTHONS))


def needed(pylock: Path) -> set[str]:
    """Hashes of such wheels, and of the sources of what has none."""
    found: set[str] = set()
    for package in tomllib.loads(pylock.read_text("utf-8"))["packages"]:
        wheels = [each for each in package.get("wheels", []) if is_needed(each["url"].rpartition("/")[2])]
        found |= {each["hashes"]["sha256"] for each in wheels or [package.get("sdist", {"hashes": {"sha256": ""}})]}
    return found


def main() -> None:
    pylock, requirements = map(Path, sys.argv[1:])
    kept = needed(pylock)
    text = requirements.read_text("utf-8")
    requirements.write_text(HASH.sub(lambda found: found[0] if found[1] in kept else "", text), "utf-8")


if __name__ == "__main__":
    main()
