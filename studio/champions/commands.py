"""Champions from a shell: pack, unpack, verify, push, pull, list. Progress goes to stderr, answers to stdout."""

import secrets
import shutil
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from engines.errors import EngineError
from engines.types import Progress
from studio.archive import pack, verify
from studio.champions.champion import check_id
from studio.champions.champions import Champions
from studio.champions.library import Kept
from studio.database import saving
from studio.jobs import Job
from studio.progress import ProgressReporter
from studio.stores import TransferPlan

DONE, FAILED, INTERRUPTED = 0, 1, 130
SHOWN_EVERY_S = 0.1
BAR = "{desc} |{bar:30}| {percentage:3.0f} %"

Open = Callable[[], Champions]


def main(arguments: Sequence[str], open_champions: Open) -> int:
    """The exit status. What cannot be done is one sentence on stderr."""
    told = parser().parse_args(arguments)
    try:
        return told.run(told, open_champions)
    except KeyboardInterrupt:
        return _refused("stopped; nothing was kept, and a transfer goes on where it stopped", INTERRUPTED)
    except EngineError as error:
        return _refused(str(error), FAILED)


def parser() -> ArgumentParser:
    """Each command's function is its `run`."""
    commands = ArgumentParser(prog="python -m studio.champions", description="Kept voices as archives and in stores.")
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[Namespace, Open], int], help: str, *operands: str) -> ArgumentParser:
        added = kinds.add_parser(name, help=help, description=help)
        added.set_defaults(run=run)
        for operand in operands:
            added.add_argument(operand)
        return added

    packing = command("pack", _pack, "write a champion as an archive", "id")
    packing.add_argument("-o", "--output", metavar="FILE", help="default: ID.tar.gz in this folder")
    unpacking = command("unpack", _unpack, "take an archive into the library", "file")
    command("verify", _verify, "say what an archive is and whether it is whole", "file")
    pushing = command("push", _push, "send a champion to a store; interrupted, it goes on", "id", "store")
    pulling = command("pull", _pull, "fetch a champion from a store; interrupted, it goes on", "id", "store")
    command("list", _list, "say what the library or a store holds").add_argument("store", nargs="?")
    for transfer in (pushing, pulling):
        transfer.add_argument("--dry-run", action="store_true", help="only say what would be done")
    for taking_in in (unpacking, pulling):
        kept = taking_in.add_mutually_exclusive_group()
        kept.add_argument("--as", dest="as_id", metavar="ID", default="", help="keep it as a new champion ID")
        kept.add_argument("--over", metavar="ID", default="", help="keep it as a new version of champion ID")
    return commands


def _pack(told: Namespace, open_champions: Open) -> int:
    library = open_champions().library
    kept = library.get(check_id(told.id))
    target = Path(told.output or f"{told.id}.tar.gz")
    members = {name: library.path(kept, name) for name in kept.members}
    with _telling() as heard:
        packed = pack(members, target, heard, threading.Event())
    return _answered(f"{target}: {packed.bytes / 1e6:,.1f} MB, SHA-256 {packed.sha256}")


def _unpack(told: Namespace, open_champions: Open) -> int:
    file = Path(told.file)
    if not file.is_file():
        return _refused(f"there is no file {file}; check its name and folder", FAILED)
    champions = open_champions()
    brought = champions.archives / f"brought-{secrets.token_hex(8)}.tar.gz"
    with saving():
        champions.archives.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, brought)  # what is brought is taken away, and this file stays its owner's
    return _taken_in(champions.bring(brought, **_as(told, champions)))


def _verify(told: Namespace, _: Open) -> int:
    with _telling() as heard:
        verdict = verify(Path(told.file), heard, threading.Event())
    if not verdict.whole:
        return _refused(verdict.sentence, FAILED)
    return _answered(f"{verdict.sentence}\nidentity {verdict.identity}\nSHA-256  {verdict.sha256}")


def _push(told: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    plan = _finished((champions.plan_push if told.dry_run else champions.push)(told.id, told.store))
    if not isinstance(plan, TransferPlan) or told.dry_run or plan.action == "nothing":
        return _answered(getattr(plan, "sentence", ""))
    return _answered(f"{told.store} holds {told.id} now")


def _pull(told: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    if told.dry_run:
        return _answered(champions.store(told.store).plan_pull(told.id).sentence)
    return _taken_in(champions.pull(told.store, told.id, **_as(told, champions)))


def _list(told: Namespace, open_champions: Open) -> int:
    champions = open_champions()
    if told.store:
        for shown in champions.browse(told.store):
            _answered(f"{shown.held.id}  {shown.held.bytes / 1e6:,.1f} MB  here: {shown.here}")
        return DONE
    for kept in champions.library.list():
        kind = "fine-tuned" if kept.champion.fine_tuned else "base"
        _answered(f"{kept.champion.id}  {kind}  {kept.saved_at:%Y-%m-%d %H:%M} UTC  {kept.version[:12]}")
    return DONE


def _as(told: Namespace, champions: Champions) -> dict[str, str]:
    """Under which id, and over which version, an archive is to be kept."""
    if told.over:
        return {"as_id": told.over, "expected": champions.library.get(told.over).version}
    return {"as_id": told.as_id}


def _taken_in(job: Job) -> int:
    kept = _finished(job)
    return _answered(f"{kept.champion.id} is kept, version {kept.version[:12]}" if isinstance(kept, Kept) else "")


def _finished(job: Job) -> object:
    """What the work gave. Raises EngineError with the reason it failed, KeyboardInterrupt once the work has stopped."""
    with _telling() as heard:
        try:
            while not job.ended:
                heard(job.progress)
                job.wait(SHOWN_EVERY_S)
            heard(job.progress)
        except KeyboardInterrupt:
            job.stop.set()
            job.wait()
            raise
    if job.state != "done":
        raise EngineError(job.error)
    return job.result


@contextmanager
def _telling() -> Iterator[ProgressReporter]:
    """A bar on stderr for as long as the work lasts."""
    with tqdm(total=1.0, bar_format=BAR, file=sys.stderr) as bar:

        def told(progress: Progress) -> None:
            bar.set_description_str(progress.message, refresh=False)
            bar.update(progress.fraction - bar.n)

        yield told


def _answered(answer: str) -> int:
    sys.stdout.write(f"{answer}\n")
    return DONE


def _refused(reason: str, status: int) -> int:
    sys.stderr.write(f"{reason}\n")
    return status
