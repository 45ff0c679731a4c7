"""The version is the same everywhere that states one."""

import re
import tomllib
from pathlib import Path

from studio.ui.assets import head
from studio.version import VERSION

ROOT = Path(__file__).parents[1]
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", re.MULTILINE)


def test_pyproject_has_the_version_of_the_studio() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"] == VERSION


def test_the_changelog_describes_this_version_as_the_newest_release() -> None:
    assert RELEASE.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))[0] == VERSION


def test_the_page_names_the_version() -> None:
    assert f'<meta name="studio-version" content="{VERSION}">' in head()
