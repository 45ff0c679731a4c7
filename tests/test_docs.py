"""The documentation builds as a site whose links are valid and which loads nothing from other sites."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from studio.script.checks.likeness import DIFFERENT, SAME

ROOT = Path(__file__).parents[1]
LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b(?![^>]*canonical)[^>]*\bhref=\"https?:"
)
IMPORTED = re.compile(r"@import\s+(?:url\()?[\"']?https?:|url\([\"']?https?:")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str]]]:
    """The built site, and the warnings of the build."""
    folder, said = tmp_path_factory.mktemp("site"), list[str]()
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(handler)
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=False))
    logging.getLogger("mkdocs").removeHandler(handler)
    yield folder, said


def test_every_link_and_anchor_leads_somewhere(site: tuple[Path, list[str]]) -> None:
    assert site[1] == []


def test_no_page_loads_anything_from_another_site(site: tuple[Path, list[str]]) -> None:
    pages = sorted(site[0].rglob("*.html"))
    assert len(pages) > 15
    assert [page.name for page in pages if LOADED.search(page.read_text("utf-8"))] == []
    assert [style.name for style in site[0].rglob("*.css") if IMPORTED.search(style.read_text("utf-8"))] == []


def test_no_page_has_a_diagram_for_which_the_theme_would_fetch_a_script(site: tuple[Path, list[str]]) -> None:
    assert [page.name for page in site[0].rglob("*.html") if 'class="mermaid"' in page.read_text("utf-8")] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


PAGES = ("README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))))


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_only_files_of_the_repository_that_exist(page: str) -> None:
    paths = set(
        re.findall(r"`((?:tests|studio|engines|deploy|docs|bench|assets)/[\w./-]+)`", (ROOT / page).read_text("utf-8"))
    )
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def test_the_block_for_nginx_is_the_tested_file() -> None:
    block = (ROOT / "docs/operations.md").read_text("utf-8").partition("```nginx\n")[2].partition("```")[0]
    assert block and block in (ROOT / "deploy/proxy/nginx.conf").read_text("utf-8")


@pytest.mark.parametrize("file", ["README.md", "assets/ui/js/frame/help.js"])
def test_the_limits_of_likeness_are_those_of_the_check(file: str) -> None:
    text = " ".join((ROOT / file).read_text("utf-8").split())
    assert (
        f"{SAME} or more: the voice matches. {DIFFERENT} to {SAME}: the voice may differ. Below {DIFFERENT}: the"
        in text
    )
