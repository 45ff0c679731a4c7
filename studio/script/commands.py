"""Commands for scripts: render a sheet to game-ready files. Progress goes to stderr, results to stdout."""

import json
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from engines.errors import BadInput, EngineError
from studio.command_output import DONE, FAILED, INTERRUPTED, fail, progress_bar, warn
from studio.progress import ProgressReporter
from studio.script.deliveries import Deliveries
from studio.script.delivery import PRESETS, DeliveryReport, preset_of
from studio.script.format.script import DeliveryChoice
from studio.script.scripts import Scripts
from studio.script.selects import StaleSelects
from studio.script.tables import UncertainEncoding
from studio.script.whole_sheet import SelectedSheet, WholeSheet, select_all

STALE_RULES = ("refuse", "deliver", "leave-out")
STALE_ADVICE = "Deliver the old takes with --stale deliver, or leave out their lines with --stale leave-out."

# Opens scripts whose engines run until the block ends.
Open = Callable[[], AbstractContextManager[Scripts]]


def main(arguments: Sequence[str], open_scripts: Open) -> int:
    """Run a command and return the exit status. Errors are printed as one sentence on stderr."""
    parsed = parser().parse_args(arguments)
    try:
        return int(parsed.run(parsed, open_scripts))
    except KeyboardInterrupt:
        return fail("stopped; run the same command again to continue", INTERRUPTED)
    except StaleSelects as error:
        return fail(f"{error.stale}. {STALE_ADVICE}")
    except UncertainEncoding as error:
        return fail(f"{error}. Choose the encoding with --encoding.")
    except (EngineError, OSError) as error:
        return fail(str(error))


def parser() -> ArgumentParser:
    """Return the parser; `run` of its result is the function of the command."""
    commands = ArgumentParser(
        prog="python -m studio.script", description="Render script sheets and deliver game-ready files."
    )
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")
    rendering = kinds.add_parser("render", help="render all lines of a sheet and deliver the best take of each line")
    rendering.set_defaults(run=_render)
    rendering.add_argument("sheet", type=Path, help="CSV, TSV or XLSX file; the next run renders only changed lines")
    goal = rendering.add_mutually_exclusive_group(required=True)
    goal.add_argument("--out", type=Path, metavar="FOLDER", help="deliver into this new or empty folder")
    goal.add_argument("--to", metavar="STORE", help="deliver as a ZIP to this store of STUDIO_STORES")
    rendering.add_argument(
        "--encoding", default="", help="encoding of a CSV that is not Unicode, such as cp1252 or mac-roman"
    )
    rendering.add_argument("--project", metavar="NAME", help="project in the studio; default: name of the sheet")
    rendering.add_argument(
        "--voice", metavar="ID", help="champion or sample for all characters that --cast does not name"
    )
    rendering.add_argument(
        "--cast", nargs="*", default=[], metavar="CHARACTER=ID", help="champion or sample for a character"
    )
    rendering.add_argument("--engine", default="", help="default: engine of the champion")
    rendering.add_argument("--takes", type=int, default=1, help="takes per line")
    rendering.add_argument(
        "--best-of",
        type=int,
        metavar="N",
        help="number of seeds to try when a check fails; saved with the project; default: as saved, at first 1",
    )
    rendering.add_argument("--preset", default="game", choices=[*PRESETS, "custom"])
    rendering.add_argument(
        "--stale",
        default="refuse",
        choices=STALE_RULES,
        help="if a selected take is stale and has no new take: deliver = deliver the stale take; "
        "leave-out = leave out its line; refuse = deliver nothing (default)",
    )
    rendering.add_argument(
        "--directions", action="store_true", help="keep stage directions such as [shouting] in subtitles and tables"
    )
    rendering.add_argument(
        "--set", nargs="*", default=[], metavar="NAME=VALUE", help="change settings of the preset; each value is JSON"
    )
    return commands


def _render(arguments: Namespace, open_scripts: Open) -> int:
    asked = _asked(arguments)
    with open_scripts() as scripts, progress_bar() as report:
        if arguments.to:
            scripts.deliveries.store(arguments.to)  # refuse an unknown store before anything is rendered
        made = select_all(scripts, asked, report, threading.Event())
        delivered, where = _delivered(scripts.deliveries, made, asked.delivery, arguments, report)
    for note in made.notes:
        warn(note)
    for name, why in made.failed:
        warn(f"{name}: {why}")
    for file in delivered.files:
        for flag in file.flags:
            warn(f"{file.path}: {flag.message}")
    for sentence in delivered.flags:
        warn(sentence)
    sys.stdout.write(f"{len(delivered.files)} files in {where}\n")
    return FAILED if made.failed else DONE


def _delivered(
    deliveries: Deliveries,
    made: SelectedSheet,
    choice: DeliveryChoice,
    arguments: Namespace,
    report: ProgressReporter,
) -> tuple[DeliveryReport, str]:
    """Deliver the selects. Return the report, and the place of the files."""
    plan = deliveries.plan(made.project, made.sheet, choice, arguments.stale.replace("-", "_"))
    if not arguments.to:
        return deliveries.into(arguments.out, plan, report), str(arguments.out)
    sent = deliveries.send(arguments.to, plan, report)
    return sent.report, sent.where


def _asked(arguments: Namespace) -> WholeSheet:
    """Return the request for `select_all`. Raises BadInput."""
    voices = {"": arguments.voice} if arguments.voice else {}
    for pair in arguments.cast:
        character, equals, voice = pair.rpartition("=")
        if not equals:
            raise BadInput(f"write {pair!r} as CHARACTER=ID, such as Ahri=ahri")
        voices[character] = voice
    return WholeSheet(
        file=arguments.sheet,
        name=arguments.sheet.name,
        encoding=arguments.encoding,
        project=arguments.project or "",
        voices=voices,
        engine=arguments.engine,
        takes=arguments.takes,
        best_of=arguments.best_of,
        delivery=_choice(arguments),
    )


def _choice(arguments: Namespace) -> DeliveryChoice:
    """Return the settings of the delivery. Raises BadSetting, BadInput."""
    choices: dict[str, object] = {"directions": True} if arguments.directions else {}
    for pair in arguments.set:
        name, _, value = pair.partition("=")
        try:
            choices[name] = json.loads(value)
        except ValueError as error:
            raise BadInput(f"write {pair!r} as NAME=VALUE with a value in JSON, such as target_lufs=-20") from error
    preset_of(arguments.preset, choices)
    return DeliveryChoice(preset=arguments.preset, choices=choices, to=arguments.to or "")
