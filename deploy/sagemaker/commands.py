"""The commands deploy, teardown, sync and invoke. Progress goes to stderr, results to stdout."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import get_args

from botocore.exceptions import BotoCoreError, ClientError

from deploy.sagemaker.account import Account
from deploy.sagemaker.errors import DeployError
from deploy.sagemaker.invoke import invoke
from deploy.sagemaker.plan import Kind, Wanted, plan_of
from deploy.sagemaker.steps import Step, deployment, teardown
from deploy.sagemaker.sync import sync
from engines.errors import EngineError
from studio.champion_format.champion import check_id
from studio.settings import WrongSettings
from studio.stores.places import WrongStores

DONE, FAILED, INTERRUPTED = 0, 1, 130
OPTIONS = (
    ("instance_type", str, "instance type"),
    ("least", int, "smallest number of instances"),
    ("most", int, "largest number of instances"),
    ("per_minute", float, "invocations a minute and instance above which an instance is added"),
    ("latency_s", float, "P95 latency of a line in seconds above which an alarm is raised"),
)
DEFAULTS = {field.name: field.default for field in fields(Wanted)}


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status; an error is one sentence on stderr."""
    parsed = parser().parse_args(arguments)
    try:
        parsed.run(parsed)
        return DONE
    except KeyboardInterrupt:
        return _refuse("stopped; run the same command again to continue", INTERRUPTED)
    except (DeployError, EngineError, WrongSettings, WrongStores, BotoCoreError, ClientError, OSError) as error:
        return _refuse(str(error), FAILED)


def parser() -> ArgumentParser:
    commands = ArgumentParser(prog="python -m deploy.sagemaker", description="Champions on AWS SageMaker.")
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")
    _add_deploy(kinds.add_parser("deploy", help="create an endpoint, or update it while it serves"))
    removing = kinds.add_parser("teardown", help="remove an endpoint and everything that belongs to it")
    removing.set_defaults(run=_teardown)
    removing.add_argument("name")
    removing.add_argument("--dry-run", action="store_true", help="only print what would be done")
    syncing = kinds.add_parser("sync", help="send packed champions to an endpoint's prefix")
    syncing.set_defaults(run=_sync)
    syncing.add_argument("source", help="a folder, or one of STUDIO_STORES")
    syncing.add_argument("target", help="s3://bucket/prefix")
    _add_invoke(kinds.add_parser("invoke", help="hear a line from an endpoint"))
    return commands


def _add_deploy(added: ArgumentParser) -> None:
    added.set_defaults(run=_deploy)
    added.add_argument("name", help="name of the endpoint")
    added.add_argument("--image", required=True, help="image in ECR, with its tag or digest")
    added.add_argument("--role", required=True, help="ARN of the role that SageMaker assumes")
    added.add_argument("--kind", choices=get_args(Kind), default="multi-model", help="default: multi-model")
    added.add_argument("--models", default="", metavar="S3", help="prefix of the archives, s3://bucket/prefix/")
    for name, kind, help in OPTIONS:
        default = DEFAULTS[name]
        option = f"--{name.replace('_', '-')}"
        added.add_argument(option, type=kind, default=default, help=f"{help}; default: {default}")
    added.add_argument("--topic", default="", help="ARN of the SNS topic for alarms")
    added.add_argument("--env", action="append", default=[], metavar="KEY=VALUE", help="for the container; repeatable")
    added.add_argument("--dry-run", action="store_true", help="only print what would be done, and the plan")


def _add_invoke(added: ArgumentParser) -> None:
    added.set_defaults(run=_invoke)
    for operand in ("endpoint", "champion", "text"):
        added.add_argument(operand)
    added.add_argument("-o", "--output", metavar="FILE", default="line.wav", help="default: line.wav")
    added.add_argument("--settings", default="", metavar="JSON", help='such as {"seed": 7}')
    added.add_argument("--binary", action="store_true", help="send the request in Triton's binary format")
    added.add_argument("--single", action="store_true", help="the endpoint is of the single kind")


def _deploy(arguments: Namespace) -> None:
    wanted = Wanted(
        name=arguments.name,
        kind=arguments.kind,
        image=arguments.image,
        role=arguments.role,
        models=arguments.models and f"{arguments.models.rstrip('/')}/",
        **{name: getattr(arguments, name) for name, _, _ in OPTIONS},
        topic=arguments.topic,
        environment=_environment(arguments.env),
    )
    plan = plan_of(wanted)
    _take(deployment(Account(), plan), dry=arguments.dry_run)
    if arguments.dry_run:
        _print(json.dumps(asdict(plan), indent=2))
    else:
        _print(f"{plan.name} is in service as planned")


def _environment(written: Iterable[str]) -> dict[str, str]:
    pairs = {one: one.partition("=") for one in written}
    if wrong := next((one for one, (key, equals, _) in pairs.items() if not (key and equals)), None):
        raise DeployError(f"--env {wrong} is not KEY=VALUE; correct it")
    return {key: value for key, _, value in pairs.values()}


def _teardown(arguments: Namespace) -> None:
    _take(teardown(Account(), arguments.name), dry=arguments.dry_run)
    if not arguments.dry_run:
        _print(f"nothing is left of {arguments.name}")


def _take(steps: Sequence[Step], *, dry: bool) -> None:
    for step in steps:
        sys.stderr.write(f"{'would ' if dry else ''}{step.sentence}\n")
        if not dry:
            step.run()
    if not steps:
        sys.stderr.write("there is nothing to do\n")


def _sync(arguments: Namespace) -> None:
    for sentence in sync(arguments.source, arguments.target):
        _print(sentence)


def _invoke(arguments: Namespace) -> None:
    champion = check_id(arguments.champion)
    values = {"text": arguments.text, "champion_id": champion, "settings": arguments.settings}
    sound = invoke(
        arguments.endpoint,
        {name: value for name, value in values.items() if value},
        target_model="" if arguments.single else f"{champion}.tar.gz",
        binary=arguments.binary,
    )
    Path(arguments.output).write_bytes(sound)
    _print(f"{arguments.output}: {len(sound) / 1e3:,.0f} kB")


def _print(answer: str) -> None:
    sys.stdout.write(f"{answer}\n")


def _refuse(reason: str, status: int) -> int:
    sys.stderr.write(f"{reason}\n")
    return status
