"""The script that builds and pushes an image, with stubs for docker and aws that record their calls."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "deploy" / "sagemaker" / "build-and-push.sh"
REGISTRY = "123456789012.dkr.ecr.eu-central-1.amazonaws.com"
STUB = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$1 $2" in
"sts get-caller-identity") echo 123456789012 ;;
"ecr describe-repositories") exit "$MISSING" ;;
"ecr get-login-password") echo secret ;;
login*) cat >>"$CALLS" ;;
esac
"""


def run(folder: Path, *arguments: str, missing: bool = False) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the script; return its result and the recorded calls."""
    programs, calls = folder / "programs", folder / "calls"
    programs.mkdir(exist_ok=True)
    calls.unlink(missing_ok=True)
    for name in ("aws", "docker"):
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    known = {"PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(calls), "MISSING": "254" if missing else "0"}
    environment = {**known, "HOME": str(folder), "AWS_REGION": "eu-central-1"}
    done = subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, check=False)
    return done, calls.read_text().splitlines() if calls.exists() else []


@pytest.mark.parametrize("missing", [True, False])
def test_an_image_is_built_and_pushed_to_a_repository_that_is_created_if_missing(tmp_path: Path, missing: bool) -> None:
    done, calls = run(tmp_path, "triton", "voices:7", missing=missing)
    image = f"{REGISTRY}/voices:7"
    assert (done.returncode, done.stdout) == (0, f"{image}\n"), done.stderr
    made = [call for call in calls if "create-repository" in call]
    assert made == (["aws ecr create-repository --region eu-central-1 --repository-name voices"] if missing else [])
    assert f"docker login --username AWS --password-stdin {REGISTRY}" in calls and "secret" in calls
    build, push = calls[-2:]
    assert build.startswith(f"docker build --platform linux/amd64 --provenance=false --target triton --tag {image} ")
    assert (Path(build.rpartition(" ")[2]).resolve(), push) == (SCRIPT.parents[2], f"docker push {image}")


def test_a_name_without_a_tag_is_tagged_with_the_commit(tmp_path: Path) -> None:
    if shutil.which("git") is None or not (SCRIPT.parents[2] / ".git").exists():
        pytest.skip("this tree is no clone")
    done, _ = run(tmp_path, "studio")
    head = subprocess.run(
        ["git", "-C", SCRIPT.parent, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{REGISTRY}/champion-studio:{head.stdout}"


@pytest.mark.parametrize("target", ["", "everything"])
def test_another_target_is_refused_before_anything_is_called(tmp_path: Path, target: str) -> None:
    done, calls = run(tmp_path, *([target] if target else []))
    assert (done.returncode, calls, "usage:" in done.stderr) == (2, [], True)
