"""Publish this tree as a Space: `python -m deploy.spaces OWNER/NAME`; with `--dry-run`, only list its files."""

import sys
import tempfile
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from huggingface_hub import HfApi
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from deploy.spaces.publishing import publish, stage
from studio.network_environment import repair_network_environment

FAILED = 1


def main() -> int:
    parser = ArgumentParser(prog="python -m deploy.spaces", description=__doc__)
    parser.add_argument("space", metavar="OWNER/NAME", type=space_id)
    parser.add_argument("--dry-run", action="store_true", help="only list the files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as staged:
        folder = Path(staged)
        stage(folder)
        if options.dry_run:
            paths = sorted(path for path in folder.rglob("*") if path.is_file())
            lines = [f"{path.stat().st_size:>12,}  {path.relative_to(folder)}" for path in paths]
            sys.stdout.write("\n".join([*lines, f"{len(paths)} files", ""]))
            return 0
        try:
            page = publish(HfApi(), options.space, folder)
        except HfHubHTTPError as error:
            sys.stderr.write(f"publishing {options.space} failed: {error}; set HF_TOKEN to a token with write access\n")
            return FAILED
    sys.stdout.write(f"{page}\n")
    return 0


def space_id(text: str) -> str:
    """Return the id of a Space. Raises ArgumentTypeError."""
    try:
        validate_repo_id(text)
    except HFValidationError as error:
        raise ArgumentTypeError(str(error)) from error
    if "/" not in text:
        raise ArgumentTypeError(f"{text} has no owner; write OWNER/NAME")
    return text


if __name__ == "__main__":
    repair_network_environment()
    sys.exit(main())
