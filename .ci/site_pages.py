"""A hook of MkDocs: pages of the repository outside docs/ join the site, and all links between pages lead there.

Links in the repository are relative to the file that contains them, so that they also work on a forge. The site has
another layout: docs/ is its root, and README.md is its first page.
"""

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "deploy/README.md",
    "deploy/*/README.md",
    "deploy/proxy/nginx.conf",
    "deploy/proxy/Caddyfile",
    "deploy/grafana/alerts.yaml",
    "assets/voices/*/checkpoint/README.md",
)
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from outside docs/."""
    for pattern in OUTSIDE:
        for path in sorted(ROOT.glob(pattern)):
            site_path = _in_site(path.relative_to(ROOT).as_posix())
            files.append(File.generated(config, site_path, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Replace links to files of the repository by links to their pages."""
    source = Path(page.file.abs_src_path or "").relative_to(ROOT)
    folder = PurePosixPath(page.file.src_uri).parent

    def replaced(link: re.Match[str]) -> str:
        target = os.path.normpath(source.parent / link[1])
        if not (ROOT / target).exists():
            return link[0]
        return os.path.relpath(_in_site(target), folder)

    return LINK.sub(replaced, markdown)


def _in_site(path: str) -> str:
    """Return where a file of the repository is in the site."""
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    return "index.md" if path == "README.md" else path.removeprefix("docs/")
