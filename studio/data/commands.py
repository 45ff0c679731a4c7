"""Commands for backups: backup, restore, check. Progress goes to stderr, results to stdout."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from engines.types import Progress
from studio.command_output import INTERRUPTED, fail, show, warn
from studio.data.backing_up import back_up
from studio.data.checking import CheckedBackup, check
from studio.data.restoring import restore
from studio.disk.files import is_disk_full
from studio.errors import StudioError
from studio.progress import format_bytes, plural

REPORTED_EVERY = 0.1  # share of the work

DataFolder = Callable[[], Path]


def main(arguments: Sequence[str], data_folder: DataFolder) -> int:
    """Run a command and return the exit status. Errors are printed as one line on stderr."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed, data_folder))
    except KeyboardInterrupt:
        return fail("stopped; nothing was written", INTERRUPTED)
    except StudioError as error:
        return fail(str(error))
    except OSError as error:
        return fail(_message(error))


def parser() -> ArgumentParser:
    """Return the parser. The attribute `run` of the parsed arguments is the function of the command."""
    commands = ArgumentParser(prog="python -m studio.data", description="Back up and restore the data folder.")
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Namespace, DataFolder], int], help: str) -> ArgumentParser:
        added = kinds.add_parser(name, help=help, description=help)
        added.set_defaults(run=run)
        added.add_argument("file", type=Path, metavar="FILE")
        return added

    command("backup", _backup, "write the data folder (STUDIO_DATA_DIR) to a new file; the studio may run meanwhile")
    command("check", _check, "check that a backup is complete and undamaged")
    restoring = command("restore", _restore, "check a backup, and restore it into a new or empty folder")
    restoring.add_argument("folder", type=Path, metavar="FOLDER")
    return commands


def _backup(arguments: Namespace, data_folder: DataFolder) -> int:
    made = back_up(data_folder(), arguments.file, _progress())
    if made.missing:
        lost = plural(len(made.missing), "file")
        warn(f"the data folder already lacked {lost}, such as {made.missing[0]}; the backup has all other files")
    return show(f"{arguments.file}: {plural(made.files, 'file')}, {format_bytes(made.bytes)}")


def _check(arguments: Namespace, _: DataFolder) -> int:
    return show(f"{arguments.file} is complete and undamaged: {_described(check(arguments.file, _progress()))}")


def _restore(arguments: Namespace, _: DataFolder) -> int:
    described = _described(restore(arguments.file, arguments.folder, _progress()))
    return show(f"restored {described}\nstart the studio with STUDIO_DATA_DIR={arguments.folder.absolute()}")


def _described(checked: CheckedBackup) -> str:
    head = checked.head
    files = f"{plural(len(checked.manifest.files), 'file')}, {format_bytes(checked.bytes)}"
    return f"{files}, of {head.created_at}, studio {head.studio}, schema {head.schema}"


def _progress() -> Callable[[Progress], None]:
    """Return a reporter that writes a line to stderr for each tenth of the work."""
    shown = 0.0

    def report(progress: Progress) -> None:
        nonlocal shown
        if progress.fraction >= shown + REPORTED_EVERY:
            shown = progress.fraction
            sys.stderr.write(f"{progress.message}, {progress.fraction:.0%}\n")

    return report


def _message(error: OSError) -> str:
    if is_disk_full(error):
        return "the disk is full; free some space, or choose another disk. Nothing was written"
    return f"{error.filename or 'the disk'} cannot be used: {error.strerror or error}"
