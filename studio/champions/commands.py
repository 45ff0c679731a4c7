"""Commands for champions: pack, unpack, verify, push, pull, list. Progress goes to stderr, results to stdout."""

import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from engines.errors import EngineError
from studio.archive import verify
from studio.champion_format.champion import check_id
from studio.champions.champions import Champions
from studio.champions.saved import SavedChampion
from studio.command_output import DONE, INTERRUPTED, fail, progress_bar, show
from studio.jobs import Job
from studio.stores.entry import TransferPlan

SHOWN_EVERY_S = 0.1
HERE = {
    "same": "up to date in the library",
    "other": "another version is in the library",
    "absent": "not in the library",
}

Open = Callable[[], Champions]


def main(arguments: Sequence[str], open_champions: Open) -> int:
    """Run a command and return the exit status. Errors are printed as one sentence on stderr."""
    parsed = parser().parse_args(arguments)
    try:
        return parsed.run(parsed, open_champions)
    except KeyboardInterrupt:
        return fail(
            "stopped; nothing was saved. An upload or download continues if you run the same command again", INTERRUPTED
        )
    except EngineError as error:
        return fail(str(error))


def parser() -> ArgumentParser:
    """Return the parser; `run` of its result is the function of the command."""
    commands = ArgumentParser(
        prog="python -m studio.champions", description="Export, import, check, upload and download champions."
    )
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Namespace, Open], int], help: str, *operands: str) -> ArgumentParser:
        added = kinds.add_parser(name, help=help, description=help)
        added.set_defaults(run=run)
        for operand in operands:
            added.add_argument(operand)
        return added

    packing = command("pack", _pack, "export a champion as an archive", "id")
    packing.add_argument("-o", "--output", metavar="FILE", help="default: ID.tar.gz in this folder")
    unpacking = command("unpack", _unpack, "import an archive into the library", "file")
    command("verify", _verify, "check an archive and show what is in it", "file")
    pushing = command("push", _push, "upload a champion to a store; continues an interrupted upload", "id", "store")
    pulling = command(
        "pull", _pull, "download a champion from a store; continues an interrupted download", "id", "store"
    )
    command("list", _list, "list the champions of the library or of a store").add_argument("store", nargs="?")
    for transfer in (pushing, pulling):
        transfer.add_argument("--dry-run", action="store_true", help="only show what would be done")
    for importing in (unpacking, pulling):
        target = importing.add_mutually_exclusive_group()
        target.add_argument("--as", dest="as_id", metavar="ID", default="", help="save as a new champion with this id")
        target.add_argument("--over", metavar="ID", default="", help="save as a new version of this champion")
    return commands


def _pack(arguments: Namespace, open_champions: Open) -> int:
    target = Path(arguments.output or f"{arguments.id}.tar.gz")
    champions = open_champions()
    saved = champions.get(check_id(arguments.id))
    with progress_bar() as report:
        packed = champions.pack(saved, target, report)
    return show(f"{target}: {packed.bytes / 1e6:,.1f} MB, SHA-256 {packed.sha256}")


def _unpack(arguments: Namespace, open_champions: Open) -> int:
    file = Path(arguments.file)
    if not file.is_file():
        return fail(f"file {file} not found; check the name and the folder")
    champions = open_champions()
    return _finish_import(champions.import_copy(file, **_target(arguments, champions)))


def _verify(arguments: Namespace, _: Open) -> int:
    with progress_bar() as report:
        verdict = verify(Path(arguments.file), report, threading.Event())
    if not verdict.whole:
        return fail(verdict.sentence)
    return show(f"{verdict.sentence}\nidentity {verdict.identity}\nSHA-256  {verdict.sha256}")


def _push(arguments: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    plan = _wait_for((champions.plan_push if arguments.dry_run else champions.push)(arguments.id, arguments.store))
    if not isinstance(plan, TransferPlan) or arguments.dry_run or plan.action == "nothing":
        return show(getattr(plan, "sentence", ""))
    return show(f"uploaded {arguments.id} to {arguments.store}")


def _pull(arguments: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    if arguments.dry_run:
        return show(champions.plan_pull(arguments.store, arguments.id).sentence)
    return _finish_import(champions.pull(arguments.store, arguments.id, **_target(arguments, champions)))


def _list(arguments: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    if arguments.store:
        for listed in champions.browse(arguments.store):
            show(listed.entry.note or f"{listed.entry.id}  {listed.entry.bytes / 1e6:,.1f} MB  {HERE[listed.here]}")
        return DONE
    for saved in champions.list():
        kind = "fine-tuned" if saved.champion.fine_tuned else "without fine-tuned weights"
        show(f"{saved.champion.id}  {kind}  {saved.saved_at:%Y-%m-%d %H:%M} UTC  {saved.version[:12]}")
    return DONE


def _target(arguments: Namespace, champions: Champions) -> dict[str, str]:
    """Return the id under which an archive is saved, and the version that it replaces."""
    if arguments.over:
        return {"as_id": arguments.over, "expected": champions.get(arguments.over).version}
    return {"as_id": arguments.as_id}


def _finish_import(job: Job) -> int:
    saved = _wait_for(job)
    if not isinstance(saved, SavedChampion):
        return show("")
    return show(f"saved {saved.champion.id}, version {saved.version[:12]}")


def _wait_for(job: Job) -> object:
    """Return the job's result. Raises EngineError if the job failed. An interrupt stops the job and is raised again."""
    with progress_bar() as report:
        try:
            while not job.ended:
                report(job.progress)
                job.wait(SHOWN_EVERY_S)
            report(job.progress)
        except KeyboardInterrupt:
            job.stop.set()
            job.wait()
            raise
    if job.state != "done":
        raise EngineError(job.error)
    return job.result
