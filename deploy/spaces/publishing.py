"""Publish the files of the image, with the README of the Space, as the repository of a Space."""

import shutil
from pathlib import Path

from huggingface_hub import HfApi

from deploy.context import ROOT, copy

README = Path(__file__).parent / "README.md"
BUILD_FILES = ("Dockerfile", ".dockerignore")


def stage(folder: Path) -> None:
    """Write the files of the repository into an empty folder."""
    copy(folder)
    for name in BUILD_FILES:
        shutil.copy2(ROOT / name, folder / name)
    shutil.copy2(README, folder / README.name)


def publish(api: HfApi, space: str, folder: Path) -> str:
    """Make the files of the Space equal to this folder, in one commit. Return its page. Raises errors of huggingface_hub."""
    api.create_repo(space, repo_type="space", space_sdk="docker", exist_ok=True)
    commit = api.upload_folder(
        repo_id=space,
        repo_type="space",
        folder_path=folder,
        delete_patterns="*",
        commit_message="The studio as it is now",
    )
    return str(commit.repo_url)
