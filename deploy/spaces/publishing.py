"""The tree as a Space's repository: what the image is made of, and the Space's own README."""

import shutil
from pathlib import Path

from huggingface_hub import HfApi

from deploy.context import ROOT, copy

README = Path(__file__).parent / "README.md"
BESIDE = ("Dockerfile", ".dockerignore")


def stage(folder: Path) -> None:
    """Write the repository's files into an empty folder."""
    copy(folder)
    for name in BESIDE:
        shutil.copy2(ROOT / name, folder / name)
    shutil.copy2(README, folder / README.name)


def publish(api: HfApi, space: str, folder: Path) -> str:
    """Make the Space hold exactly this folder, in one commit; returns its page. Raises huggingface_hub's errors."""
    api.create_repo(space, repo_type="space", space_sdk="docker", exist_ok=True)
    commit = api.upload_folder(
        repo_id=space,
        repo_type="space",
        folder_path=folder,
        delete_patterns="*",
        commit_message="The studio as it is now",
    )
    return str(commit.repo_url)
